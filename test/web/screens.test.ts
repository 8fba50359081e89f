import "./suites/sessions-screen.ts";
import "./suites/screens.ts";
import "./suites/kept-in-place.ts";
import "./suites/lost-connection.ts";
import "./suites/failing-parts.ts";
import "./suites/evaluation-report.ts";
