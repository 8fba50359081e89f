import "./suites/memories.ts";
import "./suites/scores.ts";
import "./suites/incidents.ts";
