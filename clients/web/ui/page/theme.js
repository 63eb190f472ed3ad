// @ts-check
/** Light, dark, or as the system likes it. */

/** @param {string} theme "light", "dark" or "" */
export function setTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
