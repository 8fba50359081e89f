import "./suites/forks.ts";
import "./suites/hostile-text.ts";
import "./suites/large-session.ts";
