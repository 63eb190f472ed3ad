// @ts-check
/** A lobby's pages, for people without Kontor: which page an address is, the bar above it, and asking the lobby. */
import { byId, h, paint, render } from "../draw.js";
import { loadWords, t } from "../words.js";

/** @typedef {{element: HTMLElement}} PublicPage */

const PAGES = /** @type {[RegExp, () => Promise<{open: (...names: string[]) => Promise<PublicPage>}>, string][]} */ ([
  [/^\/$/, () => import("./hall.js"), "hall"],
  [/^\/match\/([0-9a-f]{32})$/, () => import("./match.js"), "match"],
  [/^\/ladder$/, () => import("./ladder.js"), "ladder"],
  [/^\/player\/([0-9a-f]{64})$/, () => import("./player.js"), "player"],
]);

async function start() {
  await loadWords(navigator.language.slice(0, 2));
  const [found, load, name] = PAGES.map(([pattern, load, name]) => /** @type {const} */ ([pattern.exec(location.pathname), load, name])).find(([match]) => match) ?? [null, null, ""];
  drawBar(name);
  byId("main").dataset.page = name;
  try {
    if (!found || !load) throw new Error(t("public.missing"));
    const { open } = await load();
    const page = await open(...found.slice(1));
    byId("main").replaceChildren(page.element);
  } catch (error) {
    byId("main").replaceChildren(trouble(error));
  }
}

/** @param {any} error */
function trouble(error) {
  return render(h("section", { class: "panel narrow" }, h("h1", {}, t("public.trouble")), h("p", { role: "alert" }, error.message), h("p", {}, h("a", { href: "/" }, t("public.toHall")))));
}

/** @param {string} current */
function drawBar(current) {
  const link = (path, label, name) => h("a", { href: path, "aria-current": current === name ? "page" : null }, label);
  paint(byId("bar"), [
    h("a", { class: "brand", href: "/" }, h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }), "Kontor"),
    h("nav", { "aria-label": t("nav.title") }, link("/", t("public.hall"), "hall"), document.querySelector("meta[name=ladder]") ? link("/ladder", t("public.ladder"), "ladder") : null),
  ]);
}

start();
