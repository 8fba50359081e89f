import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Broken } from "./guard.tsx";

/**
 * A part of a screen that is loaded when it is shown first. What is around it is there at once. Its file may be gone, as after an
 * update of the api; then it says so.
 */
export function laterPart<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let known: FunctionComponent<P> | undefined;
  return function LaterPart(props: P): ComponentChildren {
    const [isLoaded, setLoaded] = useState(known !== undefined);
    const [isBroken, setBroken] = useState(false);
    useEffect(() => {
      if (known !== undefined) return undefined;
      let isShown = true;
      const show = async () => {
        try {
          known = await load();
          if (isShown) setLoaded(true);
        } catch {
          if (isShown) setBroken(true);
        }
      };
      void show();
      return () => {
        isShown = false;
      };
    }, []);
    if (isBroken) return <Broken />;
    const Part = known;
    return isLoaded && Part !== undefined ? <Part {...props} /> : null;
  };
}
