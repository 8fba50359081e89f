import type { GoogleGenAI } from "@google/genai";

/** Where the SDK sends the requests of one client for one model, and with which headers. */
export interface RequestTemplate {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes address and headers from a request that the SDK makes and that is not sent. They are the same for every request of a
 * client that authenticates with a key. Rejects with the SDK's error, for instance for a model that cannot be in an address.
 */
export async function requestTemplate(client: GoogleGenAI, model: string): Promise<RequestTemplate> {
  let template: RequestTemplate | undefined;
  const record: typeof fetch = (input, init) => {
    template = {
      url: new URL(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(init?.headers)),
    };
    return Promise.resolve(new Response());
  };
  const config = { automaticFunctionCalling: { disable: true }, automaticContinuation: false };
  await client.models.generateContentStream({
    model,
    contents: "",
    config: { ...config, httpOptions: { fetch: record } },
  });
  if (template === undefined) throw new Error("the SDK made no request");
  return template;
}
