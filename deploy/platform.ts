/** A kind of machine, by what its native code must be made for. */
export interface Platform {
	readonly os: "linux" | "darwin" | "win32";
	readonly cpu: "x64" | "arm64";
	readonly libc: "gnu" | "musl";
}

/** By the names that Bun compiles for, after `bun-`. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
	"linux-x64": { os: "linux", cpu: "x64", libc: "gnu" },
	"linux-arm64": { os: "linux", cpu: "arm64", libc: "gnu" },
	"linux-x64-musl": { os: "linux", cpu: "x64", libc: "musl" },
	"linux-arm64-musl": { os: "linux", cpu: "arm64", libc: "musl" },
	"darwin-x64": { os: "darwin", cpu: "x64", libc: "gnu" },
	"darwin-arm64": { os: "darwin", cpu: "arm64", libc: "gnu" },
	"windows-x64": { os: "win32", cpu: "x64", libc: "gnu" },
};

/** Every platform that executables are built for. */
export const PLATFORM_NAMES: readonly string[] = Object.keys(PLATFORMS);

/** The name of the machine that this runs on. */
export function thisPlatform(): string {
	const os = process.platform === "win32" ? "windows" : process.platform;
	return `${os}-${process.arch}`;
}

/** @throws Error for a name that is none of ours */
export function platformOf(name: string): Platform {
	const platform = PLATFORMS[name];
	if (!platform) throw new Error(`"${name}" is none of the platforms: ${Object.keys(PLATFORMS).join(", ")}`);
	return platform;
}
