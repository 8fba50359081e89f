import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  PROTOCOL_VERSION,
  RequestError,
  agent,
  methods,
  ndJsonStream,
  type ContentBlock,
} from "@agentclientprotocol/sdk";
import type { ApiClient } from "#shared/client/api-client.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Conversation } from "./conversation.ts";

/**
 * Serves the Agent Client Protocol over standard input and output until the editor closes them. All else goes to standard error. Which
 * investigation belongs to a session of the editor is kept in files, so that a later process can load it.
 */
export async function serveAcp(command: CommandCall, api: ApiClient): Promise<number> {
  const closed = new AbortController();
  const call = { ...command, signal: AbortSignal.any([command.signal, closed.signal]) };
  const sessions = new Map<string, Conversation>();
  const files = join(stateDirectory(call.env), "tarsy", "acp");
  const conversationOf = (id: string): Conversation => {
    const found = sessions.get(id);
    if (found === undefined) throw RequestError.invalidParams({ sessionId: id }, "there is no such session");
    return found;
  };
  const keep = (acpId: string) => async (sessionId: string) => {
    await mkdir(files, { recursive: true, mode: 0o700 });
    await writeFile(join(files, acpId), sessionId, { mode: 0o600 });
  };
  const connection = agent({ name: "tarsy" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "tarsy", title: "TARSy", version: packageJson.version },
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ client }) => {
      const sessionId = randomUUID();
      sessions.set(
        sessionId,
        new Conversation({ call, api, client, acpId: sessionId, keep: keep(sessionId) }),
      );
      return { sessionId };
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId: acpId }, client }) => {
      if (!isUuid(acpId)) throw RequestError.invalidParams({ sessionId: acpId }, "it must be a UUID");
      const known = await readFile(join(files, acpId), "utf8").catch(() => acpId);
      const conversation = new Conversation({ call, api, client, acpId, keep: keep(acpId) }, known.trim());
      await conversation.load();
      sessions.set(acpId, conversation);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => ({
      stopReason: await conversationOf(sessionId).prompt(textOf(prompt)),
    }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) =>
      conversationOf(sessionId).cancel(),
    )
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
  call.signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  // Nothing follows an investigation any more, or the process would stay.
  closed.abort();
  return EXIT.done;
}

function stateDirectory(env: CommandCall["env"]): string {
  return env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state");
}

/** The text of a prompt; of a link its address, of an embedded file its text. Throws RequestError for one without text. */
function textOf(prompt: readonly ContentBlock[]): string {
  const text = prompt
    .map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "resource_link") return block.uri;
      return block.type === "resource" && "text" in block.resource ? block.resource.text : "";
    })
    .filter((part) => part !== "")
    .join("\n\n");
  if (text.trim() === "") throw RequestError.invalidParams(undefined, "the prompt has no text");
  return text;
}
