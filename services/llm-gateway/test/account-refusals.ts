import type { Refusal } from "./refusals.ts";

/** What servers answer of accounts, keys and budgets, in several languages, and of what they block. */
export const ACCOUNT_REFUSALS: readonly Refusal[] = [
  {
    server: "Zhipu without credit",
    status: 429,
    body: { error: { code: "1113", message: "余额不足或无可用资源包,请充值。" } },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "SiliconFlow without credit",
    status: 403,
    body: { error: { code: 30_001, message: "Sorry, your account balance is insufficient" } },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "Alibaba without credit",
    status: 400,
    body: {
      error: {
        code: "Arrearage",
        message: "Access denied, please make sure your account is in good standing.",
      },
    },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "a proxy whose budget is spent",
    status: 429,
    body: { error: { type: "budget_exceeded", message: "Budget has been exceeded! Current cost: 10.2" } },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "an account at its own limit",
    status: 429,
    body: {
      error: {
        message: "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      },
    },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "a key at its own limit",
    status: 429,
    body: { error: { message: "Key limit exceeded (monthly limit)" } },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "a key that has expired",
    status: 400,
    body: { error: { message: "API key expired. Please renew the API key." } },
    code: "credentials",
    says: "expired",
  },
  {
    server: "a router whose free requests of the day are used up",
    status: 429,
    body: { error: { message: "Rate limit exceeded: free-models-per-day." } },
    code: "rate_limited",
    says: "daily quota",
  },
  {
    server: "Alibaba with a long conversation",
    status: 400,
    body: { error: { message: "Range of input length should be [1, 129024]" } },
    code: "context_too_long",
    says: "Range of input length",
  },
  {
    server: "Moonshot with a long conversation",
    status: 400,
    body: { error: { message: "Your request exceeded model token limit: 131072" } },
    code: "context_too_long",
    says: "131072",
  },
  {
    server: "DeepSeek with words that it blocks",
    status: 400,
    body: { error: { message: "Content Exists Risk" } },
    code: "content_blocked",
    says: "blocked",
  },
  {
    server: "Alibaba with words that it blocks",
    status: 400,
    body: {
      error: { code: "data_inspection_failed", message: "Input data may contain inappropriate content." },
    },
    code: "content_blocked",
    says: "blocked",
  },
];
