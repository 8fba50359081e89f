import { describeOnPage } from "./support/describe-on-page.ts";
import { SESSION_CONFIG } from "./support/session-script.ts";
import { evaluationReport } from "./suites/evaluation-report.ts";
import { failingParts } from "./suites/failing-parts.ts";
import { keptInPlace } from "./suites/kept-in-place.ts";
import { lostConnection } from "./suites/lost-connection.ts";
import { noMemories } from "./suites/memories.ts";
import { screens } from "./suites/screens.ts";
import { sessionsScreen } from "./suites/sessions-screen.ts";
import { triage } from "./suites/triage.ts";

describeOnPage("the screens", { config: SESSION_CONFIG }, (web) => {
  sessionsScreen(web);
  triage(web);
  keptInPlace(web);
  lostConnection(web);
  failingParts(web);
  noMemories(web);
  screens(web);
  evaluationReport(web);
});
