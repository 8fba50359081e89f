import { LRUCache } from "lru-cache";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { ListeningSettings } from "../notifications/read-settings.ts";
import type { SlackApi } from "../notifications/slack/slack-api.ts";

const Flag = Type.Optional(Type.Boolean());
const Optional = Type.Optional(Type.String());
const Member = Type.Object({
  id: Type.String(),
  team_id: Optional,
  deleted: Flag,
  is_bot: Flag,
  is_restricted: Flag,
  is_ultra_restricted: Flag,
  is_stranger: Flag,
  profile: Type.Optional(Type.Object({ email: Optional })),
});
type Member = Static<typeof Member>;
const parseMember = compileParser("member of Slack", Type.Object({ user: Member }));

const CACHED_MS = 5 * 60_000;
const MAX_CACHED = 10_000;

interface PeopleDeps {
  readonly slack: SlackApi;
  /** The workspace that the app belongs to. */
  readonly team: string;
  readonly settings: ListeningSettings;
}

/** Who the members of the workspace are here. Names that members give themselves prove nothing. */
export class People {
  readonly #deps: PeopleDeps;
  readonly #cached = new LRUCache<string, Member>({ max: MAX_CACHED, ttl: CACHED_MS });

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
  }

  /**
   * The identity of a member in a channel; why there is none as a text. `fresh` asks Slack anew, because a member may have left. Throws
   * SlackError, and the signal's reason.
   */
  async identify(
    { actor, channel }: { readonly actor: string; readonly channel: string },
    { fresh = false }: { readonly fresh?: boolean },
    signal: AbortSignal,
  ): Promise<Identity | string> {
    const { team, settings } = this.#deps;
    const member = await this.#member(actor, fresh, signal);
    if (member.team_id !== team || member.is_stranger === true) return "you are of another workspace";
    if (member.deleted === true || member.is_bot === true) return "you are not a person of this workspace";
    if (member.is_restricted === true || member.is_ultra_restricted === true) return "you are a guest here";
    const mail = this.#mailOf(member);
    if (mail === undefined) return "you are not known to TARSy";
    const role = settings.roles.get(mail) ?? settings.defaultRole;
    return {
      subject: `${team}:${member.id}`,
      name: mail,
      roles: role === undefined ? [] : [role],
      // Everyone in the channel reads what is answered there.
      teams: [...(settings.channelTeams.get(channel) ?? [])],
      via: "slack",
    };
  }

  #mailOf({ id, profile }: Member): string | undefined {
    const { people, mailDomains } = this.#deps.settings;
    const listed = people.get(id);
    if (listed !== undefined) return listed;
    const mail = profile?.email?.toLowerCase() ?? "";
    const at = mail.lastIndexOf("@");
    return at > 0 && mailDomains.has(mail.slice(at + 1)) ? mail : undefined;
  }

  async #member(actor: string, fresh: boolean, signal: AbortSignal): Promise<Member> {
    const known = fresh ? undefined : this.#cached.get(actor);
    if (known !== undefined) return known;
    const { user } = await this.#deps.slack.call(
      { method: "users.info", arguments: { user: actor } },
      parseMember,
      signal,
    );
    this.#cached.set(actor, user);
    return user;
  }
}
