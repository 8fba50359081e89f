import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Endpoints } from "../http/endpoint.ts";

export const StartQuery = Type.Object({
  to: Type.String({ maxLength: 2_000, default: "/", description: "the path of the page to open afterwards" }),
});

const SignedOut = Type.Object({
  url: Type.String({ description: "where the browser goes to sign out at the identity provider, too" }),
});

const BROWSERS = "For browsers, which get a refusal as a small page.";

/** How people sign in to the page with the identity provider; only where one is configured. */
export const SIGN_IN = {
  startSignIn: {
    method: "get",
    path: "/api/v1/auth/login",
    action: undefined,
    tag: "access",
    summary: "Sign in to the page with the identity provider",
    description: BROWSERS,
    query: StartQuery,
    responses: { 302: { description: "to the provider" } },
  },
  finishSignIn: {
    method: "get",
    path: "/api/v1/auth/callback",
    action: undefined,
    tag: "access",
    summary: "The address to which the identity provider leads people back",
    description: BROWSERS,
    responses: { 302: { description: "signed in: to the page" } },
    errors: [401],
  },
  endSignIn: {
    method: "post",
    path: "/api/v1/auth/logout",
    action: undefined,
    tag: "access",
    summary: "End the session of the page's cookie",
    responses: { 200: { description: "signed out", schema: SignedOut } },
  },
} as const satisfies Endpoints;
