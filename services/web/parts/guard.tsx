import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { TEXT } from "../text.ts";
import "./remote-state.css";

/** Says that something could not be shown, and offers to load the page again. */
export function Broken() {
  return (
    <div class="remote-state failed" role="alert">
      <span>{TEXT.app.broken}</span>
      <button type="button" class="button" onClick={() => location.reload()}>
        {TEXT.app.reload}
      </button>
    </div>
  );
}

interface GuardProps {
  /** What is shown: once it is another one, that is tried. */
  readonly subject: unknown;
  readonly children: ComponentChildren;
}

/** Keeps a mistake in showing one thing from taking what is around it away. */
export function Guard({ subject, children }: GuardProps) {
  const state: readonly [error: unknown, reset: () => void] = useErrorBoundary();
  const [error, reset] = state;
  useEffect(reset, [subject]);
  return error === undefined ? <>{children}</> : <Broken />;
}
