// @ts-check
/** Few rules, each against a mistake that would matter here. */
const BROWSER = [
  "AbortController", "AudioContext", "Blob", "CSS", "DOMRect", "Element", "HTMLElement", "HTMLInputElement", "HTMLOptionElement", "Intl", "MouseEvent", "Node", "Notification", "ResizeObserver", "SVGSVGElement", "TextDecoder", "TextEncoder", "WebSocket", "atob", "btoa",
  "cancelAnimationFrame", "clearInterval", "clearTimeout", "console", "crypto", "decodeURIComponent", "document", "fetch", "history", "innerHeight", "innerWidth",
  "localStorage", "location", "navigator", "performance", "requestAnimationFrame", "sessionStorage", "setTimeout", "window",
];

const STYLE = { selector: "Property[key.name='style']", message: "style attributes are refused by the security policy" };
const BUILDING = {
  selector: "CallExpression[callee.property.name=/^(createElement|createElementNS|createTextNode|insertBefore|replaceWith)$/]",
  message: "describe it and let draw.js paint it",
};

export default [
  {
    files: ["**/*.js"],
    ignores: ["eslint.config.js", "vendor/**"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
    rules: {
      "eqeqeq": "error",
      "max-lines": ["error", 500],
      "max-lines-per-function": ["error", 60],
      "no-const-assign": "error",
      "no-dupe-keys": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-redeclare": "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "require-await": "off",
      // Words of other people are text: nothing may be parsed as markup, and no style attribute passes the policy.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
        { object: "document", property: "write" },
      ],
      "no-restricted-syntax": ["error", STYLE, BUILDING],
    },
  },
  { files: ["draw.js"], rules: { "no-restricted-syntax": ["error", STYLE] } },
];
