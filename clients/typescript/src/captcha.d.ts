import type { RequestToken } from "./index.js";

/** Makes a captcha token in a browser, with the script of the provider that the store's settings name. */
export const requestToken: RequestToken;
