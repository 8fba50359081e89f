/**
 * Node's HTTP module, without `fetch`. An import of `node:http` reads all its exports, one of which loads `fetch`: 80 ms of CPU
 * time and 13 MB of memory in each process, for nothing. `fetch` still loads with its first use.
 */
export const http = process.getBuiltinModule("node:http");
