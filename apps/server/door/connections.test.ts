import { expect, test } from "bun:test";
import { boundsWithin, type ClientConnection, superfluous } from "./connections.ts";

interface Many {
	readonly from: string;
	readonly idle?: number;
	readonly busy?: number;
	readonly proxy?: boolean;
}

function open(...networks: readonly Many[]): ClientConnection[] {
	let id = 0;
	return networks.flatMap(({ from: address, idle = 0, busy = 0, proxy = false }) =>
		Array.from({ length: idle + busy }, (_, index) => ({ id: id++, address, port: index, busy: index < busy, proxy })),
	);
}

/** How many are cut of each network, idle and busy. */
function cut(
	bounds: Parameters<typeof superfluous>[1],
	...networks: readonly Many[]
): Record<string, [number, number]> {
	const victims = Map.groupBy(superfluous(open(...networks), bounds), ({ address }) => address);
	return Object.fromEntries(
		[...victims].map(([address, list]) => {
			const busy = list.filter((one) => one.busy).length;
			return [address, [list.length - busy, busy]];
		}),
	);
}

const BOUNDS = { all: 100, perNetwork: 25 };

test("nobody is cut while there is room", () => {
	expect(cut(BOUNDS)).toEqual({});
	expect(
		cut(BOUNDS, { from: "192.0.2.1", idle: 25 }, { from: "192.0.2.2", busy: 25 }, { from: "2001:db8::1", idle: 3 }),
	).toEqual({});
});

test("a network that has too many loses idle connections first, and others lose none", () => {
	expect(cut(BOUNDS, { from: "192.0.2.1", idle: 20, busy: 10 }, { from: "192.0.2.2", idle: 5 })).toEqual({
		"192.0.2.1": [5, 0],
	});
	expect(cut(BOUNDS, { from: "192.0.2.1", idle: 2, busy: 30 })).toEqual({ "192.0.2.1": [2, 5] });
});

test("the addresses of one IPv6 network count together", () => {
	const networks = [
		{ from: "2001:db8:0:100::1", idle: 20 },
		{ from: "2001:db8:0:1ff::2", idle: 20 },
	];
	expect(superfluous(open(...networks), BOUNDS)).toHaveLength(15);
});

test("a trusted proxy may have more than a network, but not more than all", () => {
	expect(cut(BOUNDS, { from: "127.0.0.1", idle: 90, proxy: true })).toEqual({});
	expect(cut(BOUNDS, { from: "127.0.0.1", idle: 150, proxy: true }, { from: "192.0.2.1", busy: 20 })).toEqual({
		"127.0.0.1": [70, 0],
	});
});

test("when all are too many, those who have most give first, down to the same number", () => {
	const others = Array.from({ length: 9 }, (_, index) => ({ from: `192.0.2.${index + 1}`, idle: 10 }));
	expect(cut(BOUNDS, { from: "198.51.100.1", idle: 24 }, ...others)).toEqual({ "198.51.100.1": [14, 0] });
	const many = Array.from({ length: 300 }, (_, index) => ({ from: `10.0.${index >> 8}.${index & 255}`, idle: 1 }));
	expect(superfluous(open(...many), BOUNDS)).toHaveLength(200);
	const some = many.map((one, index) => (index < 250 ? one : { from: one.from, busy: 1 }));
	expect(superfluous(open(...some), BOUNDS).filter(({ busy }) => busy)).toEqual([]);
});

test("places follow from the descriptors, with room for a file beside each connection", () => {
	expect(boundsWithin(256)).toEqual({ all: 96, perNetwork: 24 });
	expect(boundsWithin(1_024)).toEqual({ all: 480, perNetwork: 120 });
	expect(boundsWithin(1_048_576).perNetwork).toBe(1_000);
	expect(boundsWithin(64)).toEqual({ all: 16, perNetwork: 8 });
});
