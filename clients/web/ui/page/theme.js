// @ts-check
/** The theme: light, dark, or the one of the system. */

/** @param {string} theme "light", "dark" or "" */
export function setTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
