import { describeOnPage } from "./support/describe-on-page.ts";
import { SESSION_CONFIG } from "./support/session-script.ts";
import { forks } from "./suites/forks.ts";
import { hostileText } from "./suites/hostile-text.ts";
import { largeSession } from "./suites/large-session.ts";
import { slowLine } from "./suites/slow-line.ts";

describeOnPage("forks, and sessions of hostile or large text", { config: SESSION_CONFIG }, (web) => {
  forks(web);
  hostileText(web);
  largeSession(web);
  slowLine(web);
});
