// @ts-check
/** A match on this computer with chosen seats and options. */
import { post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { myName } from "../people/me.js";
import { optionFields } from "./options.js";

/** @param {import("../../app.js").App} app @param {any} game */
export async function newMatch(app, game) {
  const kinds = ["me", ...app.hello.bots];
  const names = [myName(app), ...t("bots.names").split(",")];
  const usual = game.seats.includes(3) ? 3 : game.seats[0];
  const fields = optionFields(game.options, {}, () => {});
  let count = usual;
  /** The seats as they are shown. @type {import("../../draw.js").Drawn[]} */
  let rows = [];
  function seatRow(seat) {
    return h(
      "div",
      { class: "row seat-row" },
      h("input", { type: "text", maxlength: 24, value: names[seat] ?? `${seat + 1}`, "aria-label": t("new.name", { n: seat + 1 }) }),
      h(
        "select",
        { "aria-label": t("new.kind", { n: seat + 1 }) },
        kinds.map((kind) => h("option", { value: kind, selected: kind === kinds[seat ? 1 : 0] }, t(`kinds.${kind}`))),
      ),
    );
  }
  function parts(redraw) {
    function recount(event) {
      count = Number(event.currentTarget.value);
      redraw();
    }
    rows = Array.from({ length: count }, (_, seat) => seatRow(seat));
    const counts = h("select", { change: recount }, game.seats.map((n) => h("option", { value: n, selected: n === usual }, n)));
    return [h("label", { class: "field" }, t("new.seats"), counts), h("div", { class: "seats" }, rows), h("h3", {}, t("new.options")), fields.element];
  }
  const chosen = await dialog(t("new.title", { game: game.title }), parts, [
    { value: "", label: t("cancel"), kind: "quiet" },
    { value: "go", label: t("new.start"), kind: "primary" },
  ]);
  if (chosen !== "go") return;
  const seats = rows.map(({ node }) => ({ name: node.querySelector("input").value.trim() || null, kind: node.querySelector("select").value }));
  try {
    const { id } = await post("matches", { game: game.id, options: fields.values(), seats });
    app.go(`/match/${id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}
