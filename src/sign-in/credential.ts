import type { CredentialId, CredentialRecord } from "../credentials/record.ts";
import { reasonOf } from "../errors.ts";
import { BackOff } from "./back-off.ts";
import type { SignInParts } from "./parts.ts";
import { StepUps } from "./step-ups.ts";

/** What this process knows about one credential. All servers with the same URL and account share it. */
export class Credential {
  readonly id: CredentialId;
  readonly backOff: BackOff;
  /** The token that the server rejected although it is as new as possible, and for which request. */
  rejected:
    | { readonly generation: number; readonly request: string | undefined; readonly at: number }
    | undefined;
  readonly stepUps: StepUps;
  readonly #parts: SignInParts;
  readonly #listeners = new Set<() => void>();
  #record: CredentialRecord | undefined;
  /** A generation that could not be written, and why: the stored one before it must not replace it. */
  #unsaved: { readonly generation: number; readonly cause: unknown } | undefined;
  #loading: Promise<void> | undefined;

  constructor(id: CredentialId, parts: SignInParts) {
    this.id = id;
    this.#parts = parts;
    this.backOff = new BackOff(parts.now);
    this.stepUps = new StepUps(parts.now);
  }

  /** Which credential it is, for the log. */
  get label(): Readonly<Record<string, string>> {
    const { url, account, user } = this.id;
    return { url, account, ...(user && { user: user.name }) };
  }

  get record(): CredentialRecord | undefined {
    return this.#record;
  }

  get generation(): number {
    return this.#record?.generation ?? 0;
  }

  /** Rejects what a program that ends now would lose: a token that could not be stored. */
  assertStored(): void {
    if (this.#unsaved !== undefined) throw this.#unsaved.cause;
  }

  /** Reads the record once; again only if that failed. */
  load(): Promise<void> {
    this.#loading ??= this.reload().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Reads the record unless that was done; false if that is not possible. */
  isReadable(): Promise<boolean> {
    return this.load().then(
      () => true,
      () => false,
    );
  }

  /** Adopts what is stored now. */
  async reload(): Promise<void> {
    this.adopt(await this.#parts.store.read(this.id));
  }

  /** The store has changed. What was never read is not needed yet. */
  onStoreChanged(): void {
    if (this.#loading === undefined) return;
    this.reload().catch((error: unknown) => {
      this.#parts.log.warn(`cannot read a stored sign-in: ${reasonOf(error)}`, this.label);
    });
  }

  adopt(record: CredentialRecord | undefined): void {
    const stored = record?.generation ?? 0;
    if (this.#unsaved !== undefined && stored === this.#unsaved.generation - 1) return;
    this.#unsaved = undefined;
    const before = this.#record;
    this.#parts.redactValues(secretsOf(record));
    this.#record = record;
    this.#loading ??= Promise.resolve();
    if (!isOtherToken(before, record)) return;
    this.backOff.reset();
    // Generations begin again after a logout.
    this.rejected = undefined;
    for (const listener of this.#listeners) listener();
  }

  /** Changes the record while no other process does. Returning undefined changes nothing. */
  async update(
    change: (current: CredentialRecord | undefined) => CredentialRecord | undefined,
  ): Promise<void> {
    await this.#parts.store.withLock(this.id, async () => {
      const current = await this.#parts.store.read(this.id);
      this.adopt(current);
      const next = change(current);
      if (next !== undefined) await this.save(next);
    });
  }

  /** Stores what a login made of the record. What cannot be read is replaced: a login needs nothing of it. */
  async replace(
    change: (current: CredentialRecord | undefined) => CredentialRecord | Promise<CredentialRecord>,
  ): Promise<void> {
    const { store } = this.#parts;
    await store.withLock(this.id, async () => {
      const current = await store.read(this.id).catch(() => undefined);
      this.adopt(current);
      await this.save(await change(current));
    });
  }

  /** Stores a record; the lock must be held. A token that cannot be stored is still used. */
  async save(next: CredentialRecord): Promise<void> {
    const hasNewToken = next.generation !== this.generation;
    // What came over the network must be hidden even if writing it fails.
    this.#parts.redactValues(secretsOf(next));
    try {
      await this.#parts.store.write(next);
    } catch (error) {
      if (!hasNewToken) throw error;
      this.adopt(next);
      this.#unsaved = { generation: next.generation, cause: error };
      const reason = `a new token could not be stored, other programs cannot use it: ${reasonOf(error)}`;
      this.#parts.log.error(reason, this.label);
      return;
    }
    this.#unsaved = undefined;
    this.adopt(next);
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function isOtherToken(
  before: CredentialRecord | undefined,
  after: CredentialRecord | undefined,
): boolean {
  return (
    before?.generation !== after?.generation ||
    before?.token?.accessToken !== after?.token?.accessToken
  );
}

function secretsOf(record: CredentialRecord | undefined): string[] {
  const { token, client } = record ?? {};
  return [token?.accessToken, token?.refreshToken, client?.clientSecret].filter(
    (value) => value !== undefined,
  );
}
