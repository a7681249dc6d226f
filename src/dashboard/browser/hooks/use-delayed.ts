import { useEffect, useState } from "preact/hooks";

const DELAY_MS = 150;

/** A value once it has stopped changing, such as the words of a search while they are typed. */
export function useDelayed<T>(value: T): T {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return delayed;
}
