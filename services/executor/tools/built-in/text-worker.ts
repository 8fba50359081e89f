import { parentPort, workerData } from "node:worker_threads";
import { queryText } from "./query-text.ts";
import { textTaskOf } from "./text-task.ts";

// The time for an answer counts from here, not from the start of the thread.
parentPort?.postMessage("started");
const { text, query, maxChars } = textTaskOf(workerData);
parentPort?.postMessage(queryText(text, query, maxChars));
