import { baseUrl } from "../../base-url.ts";
import type { ChatAddress, ChatModel } from "../models/chat-model.ts";
import { chatCompletionsModel, isReasoningModel, responsesModel } from "../models/open-openai.ts";

/** A model of Azure OpenAI and its caller. */
interface AzureAddress extends ChatAddress {
  /** The name of the deployment; requests name it instead of the model. */
  readonly deployment: string;
  /** Empty for the v1 API. */
  readonly apiVersion: string;
}

/**
 * Opens a deployment of Azure OpenAI: OpenAI's reasoning models through the Responses API, others through chat completions.
 * Throws TerminalError `invalid_request` for an invalid base_url.
 */
export function openAzure(address: AzureAddress): ChatModel {
  const { model, deployment, apiVersion } = address;
  const { origin, pathname } = new URL(baseUrl(address.baseUrl, ""));
  const isReasoning = isReasoningModel(model);
  const url = new URL(origin);
  const resource = pathname.replace(/\/(?:openai(?:\/v1)?)?\/?$/u, "");
  url.pathname = `${resource}/openai${versionPath(apiVersion, isReasoning, deployment)}`;
  if (apiVersion !== "") url.searchParams.set("api-version", apiVersion);
  const named = { ...address, baseUrl: url.href };
  const adaptRequest = (request: Readonly<Record<string, unknown>>) => ({ ...request, model: deployment });
  return isReasoning
    ? responsesModel(named, adaptRequest)
    : chatCompletionsModel(named, { url: url.href, reasoning: "none", adaptRequest });
}

/** Dated versions have a path for each deployment, except for responses. */
function versionPath(apiVersion: string, isReasoning: boolean, deployment: string): string {
  if (!/^\d{4}-/u.test(apiVersion)) return "/v1";
  return isReasoning ? "" : `/deployments/${encodeURIComponent(deployment)}`;
}
