import { networkOf } from "@svc/base/http/network";
import { timers } from "@svc/base/pace/paced-timers";
import type { Log, Meters } from "@svc/base/ports";
import type { OpenSocket, Sockets } from "../runtime/sockets-types.ts";

/* A connection costs a file descriptor from its first packet on, long before there is a request that a limit could see. Who opens many
   and sends nothing would leave none for anybody else; so those that are too many are cut. */

export interface ConnectionBounds {
	/** All connections at once. */
	readonly all: number;
	/** Connections of one network at once, unless it is a trusted proxy's. */
	readonly perNetwork: number;
}

/** What is open without any request: database, logs, workers. */
const OWN_DESCRIPTORS = 64;
const NETWORK_MAX = 1_000;
const EVERY_MS = 250;
const WARN_EVERY_MS = 60_000;

/** A connection may need a file beside it: one that comes in, or one that goes out. A network has a quarter of the places at most. */
export function boundsWithin(descriptors: number): ConnectionBounds {
	const all = Math.max(16, Math.floor((descriptors - OWN_DESCRIPTORS) / 2));
	return { all, perNetwork: Math.min(NETWORK_MAX, Math.max(8, Math.floor(all / 4))) };
}

export interface ClientConnection extends OpenSocket {
	/** A request is being answered on it. */
	readonly busy: boolean;
	/** It comes from a trusted proxy, which speaks for many. */
	readonly proxy: boolean;
}

/** The connections that are too many, of the networks that have most; idle ones before busy ones. */
export function superfluous<One extends ClientConnection>(
	open: readonly One[],
	{ all, perNetwork }: ConnectionBounds,
): One[] {
	const networks = [...Map.groupBy(open, ({ address }) => networkOf(address, 56)).values()].map(busyFirst);
	const wanted = networks.map((list) => list.slice(0, list[0]?.proxy ? list.length : perNetwork));
	const { level, left } = levelFor(
		wanted.map(({ length }) => length),
		all,
	);
	// What is left when all have the same is not enough for all once more.
	const more = busyFirst(wanted.flatMap((list) => list.slice(level, level + 1))).slice(0, left);
	const kept = new Set([...wanted.flatMap((list) => list.slice(0, level)), ...more]);
	return open.filter((one) => !kept.has(one));
}

function busyFirst<One extends ClientConnection>(list: readonly One[]): One[] {
	return list.toSorted((a, b) => Number(b.busy) - Number(a.busy));
}

/** The largest number of places for each at which all that are taken are no more than `total`, and how many are left then. */
function levelFor(wanted: readonly number[], total: number): { readonly level: number; readonly left: number } {
	let level = 0;
	let left = total;
	const rising = wanted.toSorted((a, b) => a - b);
	for (const [index, count] of rising.entries()) {
		const sharing = rising.length - index;
		const step = Math.min(count - level, Math.floor(left / sharing));
		level += step;
		left -= step * sharing;
		if (level < count) break;
	}
	return { level, left };
}

export interface ConnectionWatch {
	readonly sockets: Sockets;
	readonly bounds: ConnectionBounds;
	/** The ports whose connections are watched. */
	readonly ports: readonly number[];
	/** Which connections have a request in work, as `address port`. */
	readonly busy: () => ReadonlySet<string>;
	readonly isProxy: (address: string) => boolean;
	readonly log: Log;
	readonly meters: Meters;
}

/**
 * Looks at the open connections four times a second, and every five seconds while nobody asks for anything or connects, and cuts those that are too
 * many; returns what ends that.
 */
export function watchConnections(watch: ConnectionWatch): () => void {
	let warnedMs = Number.NEGATIVE_INFINITY;
	let known = 0;
	watch.meters.gauge("svc_connections", () => watch.sockets.accepted(watch.ports).length);

	return timers.every(EVERY_MS, () => {
		const open = connectionsOf(watch);
		// Who sends no request is seen here alone.
		if (open.length > known) timers.wake();
		known = open.length;
		const cut = superfluous(open, watch.bounds);
		for (const { id } of cut) watch.sockets.cut(id);
		if (cut.length === 0) return;
		watch.meters.count("svc_connections_cut_total", {}, cut.length);
		// An attack must not fill the log as well.
		if (performance.now() - warnedMs < WARN_EVERY_MS) return;
		warnedMs = performance.now();
		watch.log.warn("connections were cut, because one network or all together had too many", {
			cut: cut.length,
			advice: "name a proxy in SVC_TRUSTED_PROXIES; allow more descriptors (ulimit -n)",
			...watch.bounds,
		});
	});
}

function connectionsOf({ sockets, ports, busy, isProxy, bounds }: ConnectionWatch): ClientConnection[] {
	const open = sockets.accepted(ports);
	// As long as nobody can have too many, nobody need be known more closely.
	if (open.length <= Math.min(bounds.perNetwork, bounds.all))
		return open.map((one) => ({ ...one, busy: true, proxy: false }));
	const working = busy();
	return open.map((one) => ({
		...one,
		busy: working.has(`${one.address} ${one.port}`) || sockets.isSending(one.id),
		proxy: isProxy(one.address),
	}));
}
