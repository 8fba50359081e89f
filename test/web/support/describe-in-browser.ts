import { hasBrowser } from "./browser.ts";

/** Like `describe`, where there is a browser. Elsewhere the suite has no tests: pending ones count as failures. */
export function describeInBrowser(title: string, body: (this: Mocha.Suite) => void): void {
  if (hasBrowser()) describe(title, body);
}
