// @ts-check
/** People in the lobby: friends, who is here, who may know that one is here oneself, invitations and reports. */
import { get, post, put } from "../../api.js";
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { dialog } from "../page/dialog.js";
import { toast } from "../page/live.js";
import { markedName, markedText } from "./chat.js";

const APPEARS = ["nobody", "friends", "everybody"];

/** Friends and the people of the lobby; null if the node cannot say. */
export function peopleNow() {
  return get("people").catch(() => null);
}

/**
 * @param {any} people @param {any[] | null} tables @param {() => void} redraw
 */
export function peoplePanel(people, tables, redraw) {
  if (!people || (!people.up && !people.friends.length && !people.blocked.length)) return null;
  const mine = (tables ?? []).filter((row) => row.at && row.where === "lobby" && row.phase === "open");
  const act = (job) => job.then(redraw, (error) => toast(error.message, "bad"));
  return h(
    "section",
    { class: "panel people" },
    h("h2", {}, t("people.title")),
    h("label", { class: "row" }, t("people.appears"), appearsSelect(people, act)),
    h("p", { class: "hint" }, t(`people.appears_${people.appears}`)),
    people.older ? h("p", { class: "warn" }, t("people.older")) : null,
    h("h3", {}, t("people.friends")),
    people.friends.length ? h("ul", { class: "persons", "data-list": "friends" }, people.friends.map((friend) => friendRow(friend, mine, act))) : h("p", { class: "hint" }, t("people.noFriends")),
    people.up ? hereList(people, mine, act) : null,
    people.blocked.length ? blockedList(people, act) : null,
  );
}

function appearsSelect(people, act) {
  return h(
    "select",
    { "data-appears": people.appears, change: (event) => act(put("people/appears", { to: event.currentTarget.value })) },
    APPEARS.map((to) => h("option", { value: to, selected: to === people.appears }, t(`people.to_${to}`))),
  );
}

function friendRow(friend, mine, act) {
  const called = friend.online && friend.called !== friend.name ? ` ${t("people.called", { name: markedText({ name: friend.called, mark: friend.mark }) })}` : "";
  return h(
    "li",
    { "data-key": friend.key },
    h("span", { class: "who" }, h("b", {}, friend.name || friend.fingerprint.slice(0, 19)), h("small", {}, ` ${friend.fingerprint.slice(0, 19)}`), called),
    h("span", { class: friend.online ? "badge here" : "badge" }, t(friend.online ? "people.online" : "people.offline")),
    friend.online ? mine.map((table) => inviteButton(friend, table, act)) : null,
    h("button", { class: "quiet", click: () => act(stand(friend, "none")) }, t("people.forget")),
  );
}

function hereList(people, mine, act) {
  const hidden = people.total - people.here.length;
  return [
    h("h3", {}, t("people.here")),
    h("ul", { class: "persons", "data-list": "here" }, people.here.map((person) => personRow(person, mine, act))),
    hidden > 0 ? h("p", { class: "hint" }, t("people.hidden", { count: hidden })) : null,
  ];
}

function personRow(person, mine, act) {
  return h(
    "li",
    { "data-key": person.key },
    h("span", { class: "who" }, markedName(person)),
    person.standing === "friend" ? h("span", { class: "badge here" }, t("people.friend")) : h("button", { class: "quiet", click: () => act(stand(person, "friend")) }, t("people.add")),
    mine.map((table) => inviteButton(person, table, act)),
    h("button", { class: "quiet", click: () => profile(person) }, t("people.profile")),
    h("button", { class: "quiet", click: () => block(person, act) }, t("people.block")),
    h("button", { class: "quiet", click: () => report(person) }, t("people.report")),
  );
}

function blockedList(people, act) {
  return h(
    "details",
    {},
    h("summary", {}, t("people.blocked", { count: people.blocked.length })),
    h("ul", { class: "persons" }, people.blocked.map((person) => h("li", {}, h("span", { class: "who" }, person.name || person.fingerprint.slice(0, 19)), h("button", { class: "quiet", click: () => act(stand(person, "none")) }, t("people.unblock"))))),
  );
}

function stand(person, standing) {
  return post("people", { key: person.key, name: person.name ?? "", standing });
}

function inviteButton(person, table, act) {
  return h("button", { "data-invite": table.id, click: () => act(post(`people/${person.key}/invite`, { table: table.id }).then(() => toast(t("people.invited", { name: person.name })))) }, t("people.invite"));
}

async function block(person, act) {
  const answer = await dialog(t("people.block"), [h("p", {}, t("people.blockText", { name: markedText(person) }))], [
    { value: "", label: t("people.cancel"), kind: "quiet" },
    { value: "yes", label: t("people.block"), kind: "primary" },
  ]);
  if (answer === "yes") act(stand(person, "block"));
}

async function profile(person) {
  try {
    const about = await get(`people/${person.key}`);
    const since = new Date(about.since * 1000).toLocaleDateString([], { dateStyle: "medium" });
    await dialog(markedText(about), [
      h("p", {}, t("people.since", { when: since })),
      h("p", {}, t("people.matches", { count: about.matches })),
      h("p", {}, t("people.fingerprint"), " ", h("code", { class: "break" }, about.fingerprint)),
    ], [{ value: "", label: t("people.close"), kind: "primary" }]);
  } catch (error) {
    toast(error.message, "bad");
  }
}

async function report(person) {
  let words = "";
  const field = h("textarea", { maxlength: 300, rows: 3, "aria-label": t("people.reason"), placeholder: t("people.reason"), input: (event) => (words = event.currentTarget.value) });
  const answer = await dialog(t("people.report"), [h("p", {}, t("people.reportText", { name: markedText(person) })), field], [
    { value: "", label: t("people.cancel"), kind: "quiet" },
    { value: "yes", label: t("people.reportSend"), kind: "primary" },
  ]);
  if (answer !== "yes" || !words.trim()) return;
  try {
    await post(`people/${person.key}/report`, { reason: words.trim().replace(/\s+/g, " ") });
    toast(t("people.reported", { name: markedText(person) }));
  } catch (error) {
    toast(error.message, "bad");
  }
}

/** Somebody invites the person at this node. @param {import("../../app.js").App} app @param {any} event */
export async function answerInvitation(app, event) {
  const answer = await dialog(t("people.invitation"), [h("p", {}, t("people.invitationText", { name: markedText(event.by), game: app.game(event.game)?.title ?? event.game }))], [
    { value: "", label: t("lobby.no"), kind: "quiet" },
    { value: "yes", label: t("people.come"), kind: "primary" },
  ]);
  if (answer !== "yes") return;
  try {
    const { id } = await post("join", { code: event.code });
    app.go(`/table/${id}`);
  } catch (error) {
    toast(error.message, "bad");
  }
}
