import { useMemo } from "preact/hooks";
import { divergenceText } from "#shared/client/divergence-text.ts";
import { shownText } from "../../session/shown-text.ts";
import type { Comparison } from "./figures.tsx";
import { COMPARE_TEXT } from "./compare-text.ts";
import { wordDiff, type DiffPart } from "./word-diff.ts";

/** Where two sessions differ first, with both texts. */
export function Divergence({ comparison }: { readonly comparison: Comparison }) {
  const { first_divergence: first, a, b } = comparison;
  if (first === null) return <p class="compare-same">{COMPARE_TEXT.identical}</p>;
  return (
    <section class="compare-first" aria-labelledby="compare-first">
      <h2 id="compare-first">{COMPARE_TEXT.first}</h2>
      <p>{shownText(divergenceText(first))}</p>
      <p class="compare-links small">
        {first.seq_a !== null && (
          <a href={`/s/${a.session_id}?at=${first.seq_a}`}>{COMPARE_TEXT.showAt("A")}</a>
        )}
        {first.seq_b !== null && (
          <a href={`/s/${b.session_id}?at=${first.seq_b}`}>{COMPARE_TEXT.showAt("B")}</a>
        )}
      </p>
      <Texts a={first.text_a} b={first.text_b} />
    </section>
  );
}

interface TextsProps {
  readonly a: string | null;
  readonly b: string | null;
}

function Texts({ a, b }: TextsProps) {
  const parts = useMemo(() => wordDiff(shownText(a ?? ""), shownText(b ?? "")), [a, b]);
  return (
    <div class="compare-columns">
      <OneText letter="A" isThere={a !== null} parts={parts.filter(({ side }) => side !== "b")} />
      <OneText letter="B" isThere={b !== null} parts={parts.filter(({ side }) => side !== "a")} />
    </div>
  );
}

interface OneTextProps {
  readonly letter: "A" | "B";
  readonly isThere: boolean;
  readonly parts: readonly DiffPart[];
}

function OneText({ letter, isThere, parts }: OneTextProps) {
  return (
    <div role="group" aria-label={letter}>
      <h3>{letter}</h3>
      {isThere ? (
        <pre class="compare-text" tabIndex={0}>
          {parts.map(({ text, side }, index) => (
            <Part key={index} text={text} side={side} />
          ))}
        </pre>
      ) : (
        <p class="soft">{COMPARE_TEXT.nothing}</p>
      )}
    </div>
  );
}

function Part({ text, side }: DiffPart) {
  if (side === "both") return <>{text}</>;
  return side === "a" ? <del>{text}</del> : <ins>{text}</ins>;
}
