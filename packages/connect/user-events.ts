import type { ConnectedUser } from "./users.ts";

/** The user in the data of the event that they are connected. */
export function readUserEvent({ object }: Readonly<Record<string, unknown>>): Omit<ConnectedUser, "pk"> {
	const { verifiedMs, ...user } = object as Omit<ConnectedUser, "pk" | "verified" | "state"> & {
		readonly verifiedMs: number | null;
	};
	return { ...user, verified: verifiedMs !== null, state: "connected" };
}
