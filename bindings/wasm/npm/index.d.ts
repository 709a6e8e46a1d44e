/** What an engine reports. */
export interface Ends {
  /** A line of the engine's output. */
  line?: (line: string) => void;
  /** How much of the engine has been loaded, from 0 to 1. */
  loading?: (part: number) => void;
  /** The engine cannot be loaded, or has failed. Nothing comes after that. */
  failed?: (error: Error) => void;
}

/** An engine in a worker. */
export interface Engine {
  /** Sends a line, or several separated by newlines. Lines sent before the engine has been loaded wait for it. */
  send(text: string): void;
  /** Ends the engine at once. */
  close(): void;
}

/** Starts an engine. */
export function openEngine(ends?: Ends): Engine;
