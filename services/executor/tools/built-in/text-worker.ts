import { parentPort, workerData } from "node:worker_threads";
import { queryText } from "./query-text.ts";
import { textTaskOf } from "./text-task.ts";

// The time for an answer counts from here: a busy machine may take long to start a thread.
parentPort?.postMessage("started");
const { text, query, maxChars } = textTaskOf(workerData);
parentPort?.postMessage(queryText(text, query, maxChars));
