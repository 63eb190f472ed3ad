// @ts-check
/** QR codes on the big screen: for the seats that phones may have, and for watching. */
import { h } from "../draw.js";
import { t } from "../words.js";

/** @param {import("./big_screen.js").Ways | null} ways @param {string} kind the class, which says how large they are */
export function codes(ways, kind) {
  const links = (ways?.links ?? []).filter((link) => link.kind !== "screen");
  return h("div", { class: kind, "data-count": links.length }, links.map((link) => code(link, ways?.names[link.seat ?? -1] ?? "")));
}

/** @param {import("./big_screen.js").Link} link @param {string} name of whoever sits there */
function code(link, name) {
  const label = link.seat === null ? t("screen.watch") : name ? t("screen.as", { name }) : t("screen.seat", { n: link.seat + 1 });
  return h("figure", { "data-key": link.url, "data-link": link.kind, "data-seat": link.seat }, h("img", { src: link.qr, alt: t("party.scan", { what: label }) }), h("figcaption", {}, label));
}
