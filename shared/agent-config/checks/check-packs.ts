import { type CheckContext, checkUrl } from "#shared/agent-config/checks/check-context.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { WrittenServer } from "#shared/agent-config/schemas/tarsy-file.ts";
import { packRules, URL_SETTING } from "#shared/agent-config/complete-server.ts";
import { isIn, listedEffect } from "#shared/agent-config/tool-rules.ts";
import { errorMessage } from "#shared/errors.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";

/** Checks the keys of a pack against each other. `name` is that of its file. */
export function checkPack(
  pack: PackFile,
  { name, isShadowing }: { readonly name: string; readonly isShadowing: boolean },
  reporter: Reporter,
): void {
  const named = { container: pack, key: "pack" };
  if (pack.pack !== name) reporter.error(named, `must be the name of its file, ${name}`);
  if (isShadowing && pack.replaces_shipped !== true) {
    const hint = "choose another name, or say `replaces_shipped: true`";
    reporter.error(named, "is the name of a pack that comes with TARSy", hint);
  }
  checkStart(pack, reporter);
  checkTools(pack, reporter);
  checkProbe(pack, reporter);
}

function checkStart({ server, transport, settings = {} }: PackFile, reporter: Reporter): void {
  const at = (key: "command" | "url") => ({ container: transport, key });
  if (transport.type === "http") {
    if (server !== undefined) {
      reporter.error({ container: server }, "must not be set for type http");
    }
    if (transport.url !== undefined) checkUrl(transport, "url", transport.url, reporter);
    else if (!Object.hasOwn(settings, URL_SETTING)) {
      reporter.error(at("url"), "is required for transport type http");
    }
    return;
  }
  if ((server === undefined) === (transport.command === undefined)) {
    reporter.error(at("command"), "is required without `server`, and must not be set with it");
  }
  if (server?.from === "npm" && server.integrity === undefined) {
    reporter.error({ container: server, key: "integrity" }, "is required for a package of npm");
  }
}

function checkTools(pack: PackFile, reporter: Reporter): void {
  const { tools, definitions = {}, unlisted } = pack;
  const names = Object.keys(definitions);
  if (unlisted === true) return;
  if (names.length === 0) {
    const hint = "say `unlisted: true` where the first `tarsy add` is to ask about each tool";
    reporter.error({ container: pack, key: "definitions" }, "must have every tool", hint);
  }
  const rules = packRules(pack);
  for (const name of names) {
    if (listedEffect(rules, name) !== undefined) continue;
    reporter.error(
      { container: definitions, key: name },
      "must be in a list of `tools` that says its effect",
    );
  }
  for (const list of Object.values(tools)) {
    list.forEach((name, key) => {
      if (names.includes(name)) return;
      reporter.error({ container: list, key }, "must be the name of a tool in `definitions`");
    });
  }
}

function checkProbe({ probe, definitions = {}, unlisted }: PackFile, reporter: Reporter): void {
  if (probe === undefined) return;
  if (unlisted !== true && !Object.hasOwn(definitions, probe.tool)) {
    reporter.error({ container: probe, key: "tool" }, "must be the name of a tool in `definitions`");
  }
  const { expect } = probe;
  if (expect === undefined) return;
  try {
    compilePattern({ pattern: expect.not_matching, replacement: "" });
  } catch (error) {
    const target = { container: expect, key: "not_matching" };
    reporter.error(target, "must be a regular expression of RE2", errorMessage(error));
  }
}

const STRICTNESS = ["shared", "execution", "call"];
const STRICTER = "may only be stricter than the pack";

/** Checks that a server only says what its pack leaves open, and is nowhere less strict. */
export function checkPackedServer(
  server: Loose<WrittenServer>,
  { reporter, packs }: Pick<CheckContext, "reporter" | "packs">,
): void {
  const pack = packs.get(server.pack ?? "");
  for (const key of ["transport", "auth"] as const) {
    if (!reporter.sources.hasChild(server, key)) continue;
    const hint = "the pack has it; `settings` changes its variables";
    reporter.error({ container: server, key }, "must not be set beside `pack`", hint);
  }
  // What the pack says is not known; that has been reported.
  if (pack === undefined) return;
  const { tools, settings = {}, data_masking: masking, isolation } = server;
  const known = Object.keys(pack.settings ?? {});
  for (const key of Object.keys(settings).filter((name) => !known.includes(name))) {
    const rule = `is not a setting of the pack, which has ${known.join(", ") || "none"}`;
    reporter.error({ container: settings, key, secret: true }, rule);
  }
  const looser = (container: object, key: string, hint?: string) =>
    reporter.error({ container, key }, STRICTER, hint);
  if (server.trust_annotations === true) looser(server, "trust_annotations");
  if (masking?.enabled === false) looser(masking, "enabled");
  if (isolation !== undefined && STRICTNESS.indexOf(isolation) < STRICTNESS.indexOf(pack.isolation ?? "")) {
    looser(server, "isolation", `there it is ${pack.isolation}`);
  }
  if (tools !== undefined) checkPackedTools(tools, pack, reporter);
}

function checkPackedTools(
  tools: NonNullable<Loose<WrittenServer>["tools"]>,
  pack: PackFile,
  reporter: Reporter,
): void {
  const rules = packRules(pack);
  const names = Object.keys(pack.definitions ?? {});
  const looser = (container: object | undefined, key: number, hint: string) =>
    container && reporter.error({ container, key }, STRICTER, hint);
  for (const list of ["read_only", "idempotent"] as const) {
    const harmless = list === "idempotent" ? ["read", "idempotent"] : ["read"];
    const others = names.filter((name) => !harmless.includes(listedEffect(rules, name) ?? "read"));
    tools[list]?.forEach((glob = "", key) => {
      const named = others.find((name) => isIn([glob], name));
      if (named !== undefined) looser(tools[list], key, `there ${named} is ${listedEffect(rules, named)}`);
    });
  }
  tools.allow?.forEach((name = "", key) => {
    if (isIn(rules.deny, name)) looser(tools.allow, key, "the pack denies it");
  });
}
