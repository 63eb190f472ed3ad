// @ts-check
/** Tables on the network and in the lobby: join one, open one. */
import { post } from "../../api.js";
import { h } from "../../dom.js";
import { t } from "../../words.js";
import { markedText } from "../people/chat.js";
import { choose, dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { myName, named } from "../people/me.js";
import { optionFields } from "./options.js";
import { recoveryFields } from "./recovery.js";

/** @param {import("../../app.js").App} app @param {any[]} tables */
export function tableList(app, tables) {
  if (!tables.length) return h("p", { class: "hint" }, t("tables.none"));
  return h(
    "ul",
    { class: "matches" },
    tables.map((table) =>
      h(
        "li",
        {},
        h(
          "button",
          { class: "table-row", "data-table": table.id, click: () => enter(app, table) },
          h("span", { class: "grow" }, h("b", {}, app.game(table.game).title), table.name ? h("small", {}, table.name) : null, h("small", {}, seatsOf(table)), (table.updates ?? []).map((line) => h("small", { class: "warn" }, line))),
          table.phase === "started" ? h("span", { class: "badge watch" }, t(table.match ? "tables.goTo" : "tables.watch")) : null,
          h("span", { class: "badge" }, t(`tables.${table.where ?? "lan"}`)),
        ),
      ),
    ),
  );
}

function seatsOf(table) {
  const names = (table.seats ?? []).filter((seat) => seat.name).map(markedText);
  const who = names.length ? names.join(", ") : markedText({ name: table.host, mark: table.mark });
  const count = table.seats?.length ?? table.count ?? 0;
  return t("tables.seatsOf", { who, taken: table.taken ?? names.length, count });
}

async function enter(app, table) {
  if (table.match) return app.go(`/match/${table.match}`);
  try {
    if (table.phase !== "started" && !(await named(app))) return;
    if (!table.at) await post(`tables/${table.id}/enter`);
    app.go(`/table/${table.id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}

/** Enter by code or address, or open a table. @param {import("../../app.js").App} app */
export function joinBox(app) {
  const input = h("input", { type: "text", maxlength: 120, placeholder: t("tables.code"), "aria-label": t("tables.code") });
  async function join(event) {
    event.preventDefault();
    const word = event.currentTarget.querySelector("input").value.trim();
    if (!word || !(await named(app))) return;
    try {
      const answer = await post("join", /[:.]/.test(word) ? { address: word } : { code: word });
      if (answer.id) return app.go(`/table/${answer.id}`);
      if (!answer.tables?.length) return toast(t("tables.none"));
      const index = await choose(t("tables.several"), answer.tables.map((table) => ({ label: app.game(table.game).title, note: `${seatsOf(table)}${table.phase === "started" ? ` – ${t("tables.watch")}` : ""}` })));
      if (index >= 0) await enter(app, answer.tables[index]);
    } catch (error) {
      toast(error.message, "bad");
    }
  }
  return h(
    "div",
    { class: "join" },
    h("form", { class: "row", submit: join }, input, h("button", {}, t("tables.join"))),
    h("div", { class: "row" }, h("button", { "data-open": "table", click: () => openTable(app) }, t("tables.open")), h("a", { class: "quiet button", href: "#/watch" }, t("watch.title"))),
  );
}

async function openTable(app) {
  if (!(await named(app))) return;
  const games = h("select", { change: () => redraw() }, app.games.map((game) => h("option", { value: game.id }, game.title)));
  const seats = h("select", { change: () => weigh() });
  const where = h("select", {}, ["lan", "lobby"].map((place) => h("option", { value: place }, t(`tables.${place}`))));
  const visibility = h("select", {}, ["public", "unlisted", "invite"].map((kind) => h("option", { value: kind }, t(`tables.${kind}`))));
  const recovery = h("div", {});
  let kind = "majority";
  const spectators = h("input", { type: "checkbox", checked: true });
  const note = h("input", { type: "text", maxlength: 60 });
  const options = h("div", {});
  let fields = optionFields([], {}, () => {});
  function redraw() {
    const game = app.game(games.value);
    seats.replaceChildren(...game.seats.map((n) => h("option", { value: n }, n)));
    fields = optionFields(game.options, {}, () => {});
    options.replaceChildren(fields.element);
    weigh();
  }
  /** What a choice means depends on how many machines play. */
  function weigh() {
    recovery.replaceChildren(recoveryFields(app.hello.recovery[seats.value] ?? [], kind, (chosen) => (kind = chosen)));
  }
  redraw();
  const field = (label, input) => h("label", { class: "field" }, label, input);
  const chosen = await dialog(
    t("tables.open"),
    [
      field(t("tables.game"), games),
      field(t("new.seats"), seats),
      field(t("tables.where"), where),
      field(t("tables.visibility"), visibility),
      field(t("tables.note"), note),
      field(t("tables.spectators"), spectators),
      recovery,
      h("h3", {}, t("new.options")),
      options,
    ],
    [
      { value: "", label: t("cancel"), kind: "quiet" },
      { value: "go", label: t("tables.open"), kind: "primary" },
    ],
  );
  if (chosen !== "go") return;
  try {
    const answer = await post("tables", {
      game: games.value,
      options: fields.values(),
      seats: Number(seats.value),
      recovery: kind,
      spectators: spectators.checked,
      where: where.value,
      visibility: visibility.value,
      name: note.value.trim(),
    });
    await post(`tables/${answer.id}/sit`, { name: myName(app) }).catch(() => {});
    app.go(`/table/${answer.id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}
