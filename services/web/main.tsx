import { render, type ComponentChildren } from "preact";
import { ErrorBoundary, default as lazy } from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { followMe } from "./api/me.ts";
import { listenForSignIns, signInByAddress } from "./api/sign-in.ts";
import { listenForKeys } from "./keys.ts";
import { runClock } from "./parts/clock.ts";
import { followScheme } from "./parts/color-scheme.ts";
import { Broken, Guard } from "./parts/guard.tsx";
import { watchForNewer } from "./parts/newer-page.ts";
import { Shell } from "./parts/shell.tsx";
import { useTitle } from "./parts/use-title.ts";
import { loadRare } from "./screens/load-rare.ts";
import { SessionScreen } from "./screens/session/session-screen.tsx";
import { SessionsScreen } from "./screens/sessions/sessions-screen.tsx";
import { shownText } from "./session/shown-text.ts";
import { TEXT } from "./text.ts";
import "./styles/tokens.css";
import "./styles/base.css";

// The screens of a usual look at an alert are in the first file, the others are loaded when they are opened.
const CompareScreen = later(async () => (await loadRare()).CompareScreen);
const HandoverScreen = later(async () => (await loadRare()).HandoverScreen);
const MemoriesScreen = later(async () => (await loadRare()).MemoriesScreen);
const OriginalAddress = later(async () => (await loadRare()).OriginalAddress);
const SubmitScreen = later(async () => (await loadRare()).SubmitScreen);
const SystemScreen = later(async () => (await loadRare()).SystemScreen);
const TraceScreen = later(async () => (await loadRare()).TraceScreen);
const TriageScreen = later(async () => (await loadRare()).TriageScreen);
const UsageScreen = later(async () => (await loadRare()).UsageScreen);

/** A screen that is loaded when it is opened. Its file may be gone: an api of another version serves other files. */
function later(load: () => Promise<() => ComponentChildren>) {
  return lazy(async () => load().catch(() => Broken));
}

function NotFound() {
  const { path } = useLocation();
  useTitle(TEXT.app.notFound);
  return (
    <div class="not-found">
      <h1>{TEXT.app.notFound}</h1>
      <p class="soft">
        <code>{shownText(path)}</code>
      </p>
      <p>
        <a class="button" href="/">
          {TEXT.app.home}
        </a>
      </p>
    </div>
  );
}

function Page() {
  return (
    <LocationProvider>
      <Shell>
        <Screens />
      </Shell>
    </LocationProvider>
  );
}

/** The screen of the address. */
function Screens() {
  const { path } = useLocation();
  // The router cannot read such a path.
  if (!isDecodable(path)) return <NotFound />;
  return (
    <Guard subject={path}>
      <ErrorBoundary>
        <Routes />
      </ErrorBoundary>
    </Guard>
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function Routes() {
  return (
    <Router>
      <Route path="/" component={SessionsScreen} />
      <Route path="/s/:id" component={SessionScreen} />
      <Route path="/s/:id/trace" component={TraceScreen} />
      <Route path="/sessions/:id" component={OriginalAddress} />
      <Route path="/sessions/:id/trace" component={OriginalAddress} />
      <Route path="/compare/:a?/:b?" component={CompareScreen} />
      <Route path="/triage" component={TriageScreen} />
      <Route path="/handover" component={HandoverScreen} />
      <Route path="/new" component={SubmitScreen} />
      <Route path="/memories" component={MemoriesScreen} />
      <Route path="/system" component={SystemScreen} />
      <Route path="/usage" component={UsageScreen} />
      <Route default component={NotFound} />
    </Router>
  );
}

const root = document.querySelector("#page");
if (root !== null) {
  followScheme();
  listenForKeys();
  runClock();
  listenForSignIns();
  await signInByAddress();
  followMe();
  watchForNewer();
  render(<Page />, root);
}
