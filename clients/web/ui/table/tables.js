// @ts-check
/** Tables on the network and in the lobby: join one, open one. */
import { post } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { markedText } from "../people/chat.js";
import { choose, dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { myName, named } from "../people/me.js";
import { optionFields } from "./options.js";
import { graceField, recoveryFields } from "./recovery.js";

/** @param {import("../../app.js").App} app @param {any[]} tables */
export function tableList(app, tables) {
  if (!tables.length) return h("p", { class: "hint" }, t("tables.none"));
  return h(
    "ul",
    { class: "matches" },
    tables.map((table) =>
      h(
        "li",
        { key: table.id },
        h(
          "button",
          { class: "table-row", "data-table": table.id, click: () => enter(app, table) },
          h("span", { class: "grow" }, h("b", {}, app.game(table.game).title), table.name ? h("small", {}, table.name) : null, h("small", {}, seatsOf(table)), (table.updates ?? []).map((line) => h("small", { class: "warn" }, line))),
          table.phase === "started" ? h("span", { class: "badge watch" }, t(table.match ? "tables.goTo" : "tables.watch")) : null,
          table.rated ? h("span", { class: "badge" }, t("tables.isRated")) : null,
          h("span", { class: "badge" }, t(`tables.${table.where ?? "lan"}`)),
        ),
      ),
    ),
  );
}

function seatsOf(table) {
  const names = (table.seats ?? []).filter((seat) => seat.name).map(markedText);
  const who = names.length ? names.join(", ") : markedText({ name: table.host, mark: table.mark });
  const count = table.seats?.length || table.count || 0;
  if (table.host_is_you && !names.length) return t("tables.yours", { n: count });
  const taken = table.taken || names.length;
  return taken && count ? t("tables.seatsOf", { who, taken, count }) : count ? t("tables.invites", { who, n: count }) : who; // not every table says how many sit there
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
  /** What the dialog shows. @type {any} */
  let form = null;
  const chosen = await dialog(
    t("tables.open"),
    (redraw) => {
      form = tableForm(app, form, redraw);
      return form.parts;
    },
    [
      { value: "", label: t("cancel"), kind: "quiet" },
      { value: "go", label: t("tables.open"), kind: "primary" },
    ],
  );
  if (chosen !== "go") return;
  try {
    const answer = await post("tables", form.values());
    await post(`tables/${answer.id}/sit`, { name: myName(app) }).catch(() => {});
    app.go(`/table/${answer.id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}

/**
 * The fields of a new table. Seats and options depend on the chosen game, and the text of each way of recovery depends on how many machines play.
 * @param {import("../../app.js").App} app @param {any} before what was shown until now @param {() => void} redraw
 */
function tableForm(app, before, redraw) {
  const game = before ? app.game(before.games.node.value) : app.games[0];
  const count = before?.game === game ? before.seats.node.value : game.seats[0];
  const recovery = before?.recovery ?? { kind: "majority", grace: 120 };
  const select = (values, label, change = () => {}) => h("select", { change }, values.map((value) => h("option", { value }, label(value))));
  const games = h("select", { change: redraw }, app.games.map((each) => h("option", { value: each.id }, each.title)));
  const seats = select(game.seats, String, redraw).set("key", game.id);
  const where = select(["lan", "lobby"], (place) => t(`tables.${place}`));
  const visibility = select(["public", "unlisted", "invite"], (kind) => t(`tables.${kind}`));
  const note = h("input", { type: "text", maxlength: 60 });
  const spectators = h("input", { type: "checkbox", checked: true });
  const rated = h("input", { type: "checkbox", name: "rated", "aria-describedby": "rated-note" });
  const options = optionFields(game.options, {}, () => {});
  const field = (label, input) => h("label", { class: "field" }, label, input);
  const parts = [
    field(t("tables.game"), games),
    field(t("new.seats"), seats),
    field(t("tables.where"), where),
    field(t("tables.visibility"), visibility),
    field(t("tables.note"), note),
    field(t("tables.spectators"), spectators),
    h("div", {}, field(t("tables.rated"), rated), h("p", { class: "hint", id: "rated-note" }, t("tables.ratedNote"))),
    h("div", {}, recoveryFields(app.hello.recovery[count] ?? [], recovery.kind, (kind) => (recovery.kind = kind))),
    h("div", {}, Number(count) > 2 ? graceField(recovery.grace, (grace) => (recovery.grace = grace)) : null),
    h("h3", {}, t("new.options")),
    h("div", {}, options.element.set("key", game.id)),
  ];
  const values = () => ({
    game: game.id,
    options: options.values(),
    seats: Number(seats.node.value),
    recovery: recovery.kind,
    grace: recovery.grace,
    spectators: spectators.node.checked,
    rated: rated.node.checked,
    where: where.node.value,
    visibility: visibility.node.value,
    name: note.node.value.trim(),
  });
  return { game, games, seats, recovery, parts, values };
}
