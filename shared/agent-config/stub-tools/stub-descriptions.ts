/** A one-line description of the keys of stub-tools.yaml, for editors; docs/configuration.md has the rules. By key, or `parent.key`. */
export const STUB_DESCRIPTIONS: Readonly<Record<string, string>> = {
  call_log: "A file to which each call is appended as a line of JSON.",
  servers: "Tools by server id, then by name; they take the place of those of the server.",
  "servers.description": "What the tool does, for the model.",
  "servers.read_only": "true is the same as effect: read.",
  effect: "What a call does; calls of read and idempotent may be repeated after a crash.",
  "servers.approve": "Whether each call needs approval; false by default.",
  parameters:
    "JSON Schema (draft 7, type object) of the arguments, as JSON text; by default any are accepted.",
  results: "The first that applies to a call is its result.",
  arguments: "Applies only to calls with these arguments, each compared as text.",
  delay: "Waited before the result, like 200ms.",
  text: "The result.",
  error: "A result that reports the tool's own failure.",
  exception: "The tool throws an error with this message.",
  bytes: "A result of this many bytes.",
  base64: "A result of these bytes, which need not be text.",
  hang: "true: never answers.",
};
