import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { signInWanted } from "../api/ask-to-sign-in.ts";
import { pageProof } from "../api/page-proof.ts";
import { signOut } from "../api/sign-in.ts";
import { HelpOverlay, openHelp } from "../help/help-overlay.tsx";
import { isMac, keyParts } from "../help/key-text.ts";
import { openPalette, Palette } from "../palette/palette.tsx";
import { TEXT } from "../text.ts";
import { SignInForm } from "./sign-in-form.tsx";
import "./shell.css";

const LINKS = [
  { path: "/", text: TEXT.titles.sessions },
  { path: "/usage", text: TEXT.titles.usage },
  { path: "/system", text: TEXT.titles.system },
];

/** What surrounds each screen: the way to the others. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const content = useRef<HTMLElement>(null);
  const shownPath = useRef(path);
  useEffect(() => {
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
        <nav aria-label={TEXT.app.navigation}>
          {LINKS.map((link) => (
            <a key={link.path} href={link.path} aria-current={path === link.path ? "page" : undefined}>
              {link.text}
            </a>
          ))}
        </nav>
        <div class="shell-actions">
          <button type="button" class="button plain" onClick={openPalette}>
            {TEXT.palette.title} <kbd class="shell-key">{keyParts("Mod+k", isMac).join(" ")}</kbd>
          </button>
          <button type="button" class="button plain" aria-label={TEXT.app.helpKey} onClick={openHelp}>
            ?
          </button>
          {pageProof() !== undefined && why === undefined && (
            <button type="button" class="button plain" onClick={() => void signOut()}>
              {TEXT.signIn.out}
            </button>
          )}
          <a class="button primary" href="/new">
            {TEXT.titles.submit}
          </a>
        </div>
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        {children}
      </main>
      <Palette />
      <HelpOverlay />
      {why !== undefined && <SignInForm why={why} />}
    </>
  );
}
