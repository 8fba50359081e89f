import "./suites/session-screen.ts";
import "./suites/steering.ts";
import "./suites/chat.ts";
import "./suites/time-travel.ts";
