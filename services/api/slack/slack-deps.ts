import type { ApiDeps } from "../api-deps.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { SlackApi } from "../notifications/slack/slack-api.ts";
import type { ListeningSettings } from "../notifications/read-settings.ts";
import type { SlackApp } from "./events/read-envelope.ts";
import type { People } from "./people.ts";

/** What handles the events of Slack. */
export interface SlackDeps extends ApiDeps {
  readonly slack: SlackApi;
  readonly app: SlackApp;
  readonly settings: ListeningSettings;
  readonly people: People;
  readonly submitter: Submitter;
}
