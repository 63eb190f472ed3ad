// @ts-check
/** @type {(string | string[])[][]} */
export const HELP = [];
