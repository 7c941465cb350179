/** A kind of machine, by what its native code must be made for. */
export interface Platform {
	readonly os: "linux" | "darwin" | "win32";
	readonly cpu: "x64" | "arm64";
}

/** By the names that Bun compiles for, after `bun-`. Not for musl: an installer on another machine takes the native parts for glibc. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
	"linux-x64": { os: "linux", cpu: "x64" },
	"linux-arm64": { os: "linux", cpu: "arm64" },
	"darwin-x64": { os: "darwin", cpu: "x64" },
	"darwin-arm64": { os: "darwin", cpu: "arm64" },
	"windows-x64": { os: "win32", cpu: "x64" },
};

/** Every platform that the service is put together for. */
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
