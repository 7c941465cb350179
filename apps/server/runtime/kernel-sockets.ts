import { readdirSync } from "node:fs";
import ipaddr from "ipaddr.js";
import type { OpenSocket, Sockets } from "./sockets-types.ts";

/* The connections of this process as the kernel knows them. Bun tells of a connection only once a request has come whole. */

const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
const FUNCTIONS = {
	getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
	getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
	ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
	shutdown: { args: ["i32", "i32"], returns: "i32" },
} as const;

/* Of Linux, on all of its machines. */
const AF_INET = 2;
const AF_INET6 = 10;
const SIOCOUTQ = 0x5411;
const SHUT_RDWR = 2;
/** The kernel gives the lowest free number, so that numbers in use lie close together. */
const GAP_MAX = 1_024;

/** Undefined where the system is not Linux, or has no C library that is known. */
export function kernelSockets(): Sockets | undefined {
	const libc = process.platform === "linux" ? openLibrary() : undefined;
	if (!libc) return undefined;
	const { getpeername, getsockname, ioctl, shutdown } = libc.symbols;
	const text = new Uint8Array(128);
	const name = new DataView(text.buffer);
	const length = new Uint32Array(1);
	const unsent = new Int32Array(1);

	/** True if `text` then holds an address of the internet. */
	function ask(getname: typeof getpeername, fd: number): boolean {
		length[0] = text.length;
		if (getname(fd, text, length) !== 0) return false;
		const family = name.getUint16(0, true);
		return family === AF_INET || family === AF_INET6;
	}

	function find(fd: number, ports: readonly number[]): OpenSocket | undefined {
		if (!ask(getsockname, fd) || !ports.includes(name.getUint16(2)) || !ask(getpeername, fd)) return undefined;
		const bytes = name.getUint16(0, true) === AF_INET ? text.subarray(4, 8) : text.subarray(8, 24);
		return { id: fd, address: textOf(bytes), port: name.getUint16(2) };
	}

	/** Asks for number after number. */
	function walk(ports: readonly number[]): OpenSocket[] {
		const found: OpenSocket[] = [];
		for (let fd = 3, last = 3; fd - last < GAP_MAX; fd++) {
			const socket = find(fd, ports);
			if (!socket) continue;
			found.push(socket);
			last = fd;
		}
		return found;
	}

	return {
		accepted(ports) {
			const numbers = openNumbers();
			return numbers ? numbers.flatMap((fd) => find(fd, ports) ?? []) : walk(ports);
		},
		isSending: (fd) => ioctl(fd, SIOCOUTQ, unsent) === 0 && (unsent[0] ?? 0) > 0,
		cut: (fd) => {
			shutdown(fd, SHUT_RDWR);
		},
	};
}

/** The numbers of all that is open; undefined where none is left to read them with, which is when it matters most who has them. */
function openNumbers(): number[] | undefined {
	try {
		return readdirSync("/proc/self/fd").map(Number);
	} catch {
		return undefined;
	}
}

function openLibrary() {
	// Not imported: this file is read by runtimes that have no such module.
	const { dlopen } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
	for (const library of LIBRARIES) {
		try {
			return dlopen(library, FUNCTIONS);
		} catch {
			// The next one may be there.
		}
	}
	return undefined;
}

function textOf(bytes: Uint8Array): string {
	return ipaddr.process(ipaddr.fromByteArray([...bytes]).toString()).toString();
}
