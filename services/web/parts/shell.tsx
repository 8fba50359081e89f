import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { signInWanted } from "../api/ask-to-sign-in.ts";
import { api } from "../api/client.ts";
import { may, me } from "../api/me.ts";
import { signOut } from "../api/sign-in.ts";
import { stored } from "../api/stored.ts";
import { HelpOverlay, openHelp } from "../help/help-overlay.tsx";
import { isMac, keyParts } from "../help/key-text.ts";
import { openPalette, Palette } from "../palette/palette.tsx";
import { shownText } from "../session/shown-text.ts";
import { TEXT } from "../text.ts";
import { nextScheme, scheme } from "./color-scheme.ts";
import { isNewer } from "./newer-page.ts";
import { zoneName } from "#shared/client/time-text.ts";
import { now } from "./clock.ts";
import { switchZone, zone } from "./zone.ts";
import { laterPart } from "./later-part.tsx";
import { loadRare } from "../screens/load-rare.ts";
import { NEEDS_PERSON } from "../screens/sessions/list-filters.ts";
import { useRemote } from "./use-remote.ts";
import "./shell.css";

const SignInForm = laterPart(async () => (await loadRare()).SignInForm);

/** The screens of the menu; that of memories only where TARSy has them. */
const LINKS = [
  { path: "/", text: TEXT.titles.sessions },
  { path: "/triage", text: TEXT.titles.triage },
  { path: "/usage", text: TEXT.titles.usage },
  { path: "/memories", text: TEXT.titles.memories },
  { path: "/system", text: TEXT.titles.system },
];

/** How often the sessions that need a person are counted. */
const COUNT_MS = 15_000;

/** The signs of the switch of colours. */
const SCHEME_MARKS = { system: "◐", light: "○", dark: "●" } as const;

/** Names the zone of all times, once for the page, and switches between the reader's own and UTC. */
function ZoneSwitch() {
  const name = zoneName(now.value, zone.value);
  const hint = `${TEXT.app.zone(name)}: ${TEXT.app.nextZone[zone.value]}`;
  return (
    <button type="button" class="button plain small" aria-label={hint} title={hint} onClick={switchZone}>
      {name}
    </button>
  );
}

/** The name of the screen that has them, with the number of sessions that need a person. */
function TriageName() {
  const waiting = useRemote(
    "waiting",
    async (signal) => api.call("GET /api/v1/sessions", { query: { ...NEEDS_PERSON, page_size: 1 }, signal }),
    { every: COUNT_MS },
  );
  return <>{TEXT.sessions.waiting(waiting.value?.pagination.total_items ?? 0, TEXT.titles.triage)}</>;
}

/** A sign takes the place of the text on a phone, where menu and actions are one row. */
function ShortText({ long, short }: { readonly long: string; readonly short: string }) {
  return (
    <>
      <span class="shell-long">{long}</span>
      <span class="shell-narrow" aria-hidden="true">
        {short}
      </span>
    </>
  );
}

/** The way to the screens. */
function Menu({ path }: { readonly path: string }) {
  const links = LINKS.filter((link) => link.path !== "/memories" || me.value?.memory_enabled === true);
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    // A phone has no room for all of the menu.
    const current = menu.current?.querySelector<HTMLElement>("[aria-current]");
    if (menu.current && current) menu.current.scrollLeft = current.offsetLeft - menu.current.offsetLeft;
  }, [path, links.length]);
  return (
    <nav ref={menu} aria-label={TEXT.app.navigation}>
      {links.map((link) => (
        <a key={link.path} href={link.path} aria-current={path === link.path ? "page" : undefined}>
          {link.path === "/triage" ? <TriageName /> : link.text}
        </a>
      ))}
    </nav>
  );
}

/** What surrounds each screen: the way to the others. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const content = useRef<HTMLElement>(null);
  const shownPath = useRef(path);
  // Before the next key: an effect after the new screen is painted may come later.
  useLayoutEffect(() => {
    // What had the focus goes with the former screen: without this the next Tab would begin anywhere.
    if (shownPath.current !== path) content.current?.focus({ preventScroll: true });
    shownPath.current = path;
  }, [path]);
  const why = signInWanted.value;
  return (
    <>
      <a class="skip-link" href="#content">
        {TEXT.app.skip}
      </a>
      <header class="shell-header">
        <a class="shell-name" href="/">
          {TEXT.app.name}
        </a>
        <Menu path={path} />
        <div class="shell-actions">
          <ZoneSwitch />
          <button type="button" class="button plain" onClick={openPalette}>
            <ShortText long={TEXT.palette.title} short="⌕" />
            <kbd class="shell-wide">{keyParts("Mod+k", isMac).join(" ")}</kbd>
          </button>
          <button
            type="button"
            class="button plain shell-wide"
            aria-label={TEXT.app.helpKey}
            onClick={openHelp}
          >
            ?
          </button>
          <button
            type="button"
            class="button plain shell-wide"
            aria-label={`${TEXT.app.scheme[scheme.value]}: ${TEXT.app.nextScheme}`}
            title={TEXT.app.scheme[scheme.value]}
            onClick={nextScheme}
          >
            {SCHEME_MARKS[scheme.value]}
          </button>
          {me.value?.name !== undefined && (
            <span class="shell-me small soft">
              {shownText(me.value.name)} · {me.value.role}
            </span>
          )}
          {(me.value?.signed_in === true || stored("page") !== undefined) && why === undefined && (
            <button type="button" class="button plain" onClick={() => void signOut()}>
              {TEXT.signIn.out}
            </button>
          )}
          {may("alert.submit") && (
            <a class="button" href="/new">
              <ShortText long={TEXT.titles.submit} short="+" />
            </a>
          )}
        </div>
      </header>
      <NewerNotice />
      <main id="content" ref={content} tabIndex={-1}>
        {children}
      </main>
      <Palette />
      <HelpOverlay />
      {why !== undefined && <SignInForm why={why} />}
    </>
  );
}

/** That this page is older than the api that serves it, with the way to the newer one. */
function NewerNotice() {
  return (
    <p class="shell-newer" role="status" hidden={!isNewer.value}>
      {isNewer.value && (
        <>
          {TEXT.app.newer}{" "}
          <button type="button" class="button" onClick={() => location.reload()}>
            {TEXT.app.reload}
          </button>
        </>
      )}
    </p>
  );
}
