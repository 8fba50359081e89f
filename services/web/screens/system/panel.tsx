import type { ComponentChildren } from "preact";

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of the screen with its heading. */
export function Panel({ title, children }: PanelProps) {
  return (
    <section class="system-panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
