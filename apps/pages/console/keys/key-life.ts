import type { ManagedKey } from "@svc/sdk/shapes";

type KeyEnd = Pick<ManagedKey, "revoked_at" | "expires_at">;

const DAY_MS = 86_400_000;
/** A key that ends within these days is marked. */
const SOON_DAYS = 14;

export function isLive({ revoked_at, expires_at }: KeyEnd, nowMs: number): boolean {
	return revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs);
}

/** Whether a key that works ends soon by itself. */
export function endsSoon(key: KeyEnd, nowMs: number): boolean {
	return isLive(key, nowMs) && key.expires_at !== null && Date.parse(key.expires_at) < nowMs + SOON_DAYS * DAY_MS;
}
