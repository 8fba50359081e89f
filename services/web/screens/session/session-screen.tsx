import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { useKeys } from "../../keys.ts";
import { laterPart } from "../../parts/later-part.tsx";
import { loadMarkdown } from "../../parts/markdown.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { anchorOf } from "../../session/anchor-of.ts";
import { setOpen, toggleOpen } from "../../session/open-entries.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { entryOfAddress, numberParameter, stageOfAddress } from "./address.ts";
import { AlertPanel } from "./alert-panel.tsx";
import { Conclusion } from "./conclusion.tsx";
import { FollowUpsPart } from "./follow-ups-part.tsx";
import { isNarrow, isWide } from "./window-width.ts";
import { SessionHeader } from "./session-header.tsx";
import { SessionStore } from "./session-store.ts";
import { stateOf } from "./standing.ts";
import { StageBand } from "./stage-band.tsx";
import { traceOf } from "./trace-of.ts";
import "./session-screen.css";

const FollowEnd = laterPart(async () => (await loadRare()).FollowEnd);
const SessionSearch = laterPart(async () => (await loadRare()).SessionSearch);
const Lineage = laterPart(async () => (await loadRare()).Lineage);
const SteeringBox = laterPart(async () => (await loadRare()).SteeringBox);
const Unread = laterPart(async () => (await loadRare()).Unread);
const TimeSlider = laterPart(async () => (await loadRare()).TimeSlider);
const CitationsPart = laterPart(async () => (await loadRare()).CitationsPart);

/** The screen `Session`: one investigation, live and at any moment of its past. */
export function SessionScreen() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <OneSession key={id} id={id} />;
}

function OneSession({ id }: { readonly id: string }) {
  const store = useMemo(() => new SessionStore(id, numberParameter("at")), [id]);
  useEffect(() => {
    loadMarkdown();
    store.start();
    return () => store.stop();
  }, [store]);
  const facts = store.facts.value;
  const title = store.title.value ?? TEXT.titles.session;
  const { kind } = stateOf(store);
  useTitle(TEXT.sessions.waiting(kind === "needs_approval" || kind === "failing" ? 1 : 0, title));
  const { target, showEntry, reveal } = useTarget(store);
  const [alertOpen, setAlertOpen] = useState<boolean>();
  useSessionKeys(store, () => setAlertOpen(!isAlertOpen));
  // On a small screen it would push away what is happening.
  const isAlertOpen = alertOpen ?? isWide.value;
  if (store.failure.value !== undefined) return <Failure why={store.failure.value} />;
  const view = store.view.value;
  return (
    <div class={`session-screen ${store.at.value === undefined ? "" : "past"}`}>
      <div class="session-top">
        <SessionHeader store={store} view={view} target={target} showEntry={showEntry} />
        <TimePart store={store} />
      </div>
      <div class="session-overview">
        <Conclusion store={store} showEntry={showEntry} />
        {facts !== undefined && <AlertPanel facts={facts} isOpen={isAlertOpen} setOpen={setAlertOpen} />}
      </div>
      {facts !== undefined && (facts.forked_from !== null || facts.forks.length > 0) && (
        <Lineage facts={facts} />
      )}
      <SteeringPart store={store} />
      <section class="investigation" aria-label={TEXT.session.investigation}>
        <div class="investigation-tools">
          <OpenButtons store={store} />
          <div class="search-place">
            <SessionSearch view={view} showEntry={showEntry} />
          </div>
        </div>
        {view.stages.map((stage) => (
          <StageBand key={stage.id} stage={stage} store={store} target={target} />
        ))}
        {view.stages.length === 0 && <NoStages store={store} />}
      </section>
      <FollowUpsPart store={store} target={target} reveal={reveal} />
      <FollowEnd store={store} />
      <CitationsPart store={store} showEntry={showEntry} />
    </div>
  );
}

/** What a person may tell the agents, while there is someone to tell; of an earlier moment what they had not read then. */
function SteeringPart({ store }: { readonly store: SessionStore }) {
  const facts = store.facts.value;
  const { status } = store.view.value;
  const isRunning = status === "pending" || status === "in_progress";
  if (!isRunning || facts === undefined) return null;
  if (store.at.value !== undefined) {
    const messages = store.past.value?.facts?.unread_messages ?? [];
    return messages.length > 0 ? <Unread messages={messages} view={store.view.value} /> : null;
  }
  return <SteeringBox store={store} facts={facts} />;
}

/** The way through the time of a session, once there is more than one moment. */
function TimePart({ store }: { readonly store: SessionStore }) {
  const last = store.version.value >= 0 ? store.fold.view.seq : 0;
  // The place is kept free until the part is loaded, so that nothing moves.
  const hasRoom = last > 1 || (store.facts.value?.last_seq ?? 0) > 1;
  const slider = last > 1 && !store.isReading.value && <TimeSlider store={store} />;
  if (!isNarrow.value) return <div class={hasRoom ? "time-part" : ""}>{slider}</div>;
  return (
    <details class="time-part small" open={store.at.value !== undefined}>
      <summary>{TEXT.session.time}</summary>
      {slider}
    </details>
  );
}

/** That there is nothing yet, or how much of it is read. */
function NoStages({ store }: { readonly store: SessionStore }) {
  if (!store.isReading.value) return <p class="soft">{TEXT.session.empty}</p>;
  const last = store.facts.value?.last_seq ?? 0;
  const read = store.version.value >= 0 ? store.fold.view.seq : 0;
  const text =
    last === 0 ? TEXT.app.loading : TEXT.session.reading(read.toLocaleString(), last.toLocaleString());
  return (
    <p class="soft reading" role="status">
      {text}
    </p>
  );
}

/** Why there is nothing to show. */
function Failure({ why }: { readonly why: string }) {
  return (
    <div class="no-session" role="alert">
      <p>{why}</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {TEXT.app.retry}
      </button>{" "}
      <a class="button" href="/">
        {TEXT.app.home}
      </a>
    </div>
  );
}

/** The entry that is pointed at: by the address at first, then by whatever the reader looks for. */
function useTarget(store: SessionStore) {
  const [target, setTarget] = useState(entryOfAddress);
  const pending = useRef(target);
  const showEntry = (entryId: string) => {
    history.replaceState(history.state, "", `#${anchorOf(entryId)}`);
    store.open.value = setOpen(store.open.value, entryId, true);
    pending.current = entryId;
    setTarget(entryId);
  };
  useEffect(() => {
    const change = () => {
      const named = entryOfAddress();
      if (named !== undefined) showEntry(named);
    };
    window.addEventListener("hashchange", change);
    return () => window.removeEventListener("hashchange", change);
  }, [store]);
  const stage = useRef(stageOfAddress());
  const reveal = () => {
    const place =
      stage.current === undefined ? null : document.querySelector(`#${CSS.escape(stage.current)}`);
    if (place !== null) stage.current = undefined;
    place?.scrollIntoView();
    if (pending.current === undefined) return;
    // Its event may not have come yet; then a later frame shows it.
    const element = document.querySelector(`#${CSS.escape(anchorOf(pending.current))}`);
    if (element === null) return;
    store.open.value = setOpen(store.open.value, pending.current, true);
    pending.current = undefined;
    const words = element.querySelector("mark.followed") ?? element.querySelector("mark.cited");
    (words ?? element).scrollIntoView({ block: "center" });
  };
  useEffect(reveal);
  return { target, showEntry, reveal };
}

function useSessionKeys(store: SessionStore, toggleAlert: () => void) {
  const { route } = useLocation();
  const toggle = (what: "all" | "tools" | "thoughts") => {
    store.open.value = toggleOpen(store.open.value, what);
  };
  useKeys({
    e: [TEXT.session.keys.all, () => toggle("all")],
    t: [TEXT.session.keys.tools, () => toggle("tools")],
    r: [TEXT.session.keys.thoughts, () => toggle("thoughts")],
    a: [TEXT.session.keys.alert, toggleAlert],
    w: [TEXT.session.keys.trace, () => route(traceOf(store))],
  });
}

function OpenButtons({ store }: { readonly store: SessionStore }) {
  const { all, tools, thoughts } = store.open.value;
  const button = (what: "all" | "tools" | "thoughts", text: string, isOn: boolean) => (
    <button
      type="button"
      class="button small"
      aria-pressed={isOn}
      onClick={() => (store.open.value = toggleOpen(store.open.value, what))}
    >
      {text}
    </button>
  );
  return (
    <div class="open-buttons">
      {button("all", TEXT.session.expandAll, all === true)}
      {button("tools", TEXT.session.expandTools, tools ?? all === true)}
      {button("thoughts", TEXT.session.expandThoughts, thoughts ?? all === true)}
    </div>
  );
}
