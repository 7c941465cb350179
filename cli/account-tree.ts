import type { Branch } from "./leaf.ts";

/** Signing in, and what is kept on this machine. */
export const ACCOUNT_COMMANDS: Branch["commands"] = {
	login: {
		summary: "Sign in by e-mail code, or store an App's key",
		load: async () => (await import("./commands/login.ts")).login,
	},
	logout: {
		summary: "End the session in use and forget it",
		load: async () => (await import("./commands/logout.ts")).logout,
	},
	whoami: {
		summary: "Show the key in use and what it reaches, and who is signed in",
		load: async () => (await import("./commands/whoami.ts")).whoami,
	},
	profile: {
		summary: "services and who you are there, as kept on this machine",
		commands: {
			list: {
				summary: "List the profiles of this machine",
				load: async () => (await import("./commands/profile/list.ts")).list,
			},
			use: {
				summary: "Make a profile the current one",
				load: async () => (await import("./commands/profile/use.ts")).use,
			},
			add: {
				summary: "Add a profile for a service",
				load: async () => (await import("./commands/profile/add.ts")).add,
			},
			rm: {
				summary: "Remove a profile and forget what it holds",
				load: async () => (await import("./commands/profile/rm.ts")).rm,
			},
		},
	},
	config: {
		summary: "settings of a profile",
		commands: {
			get: {
				summary: "Show the settings of a profile",
				load: async () => (await import("./commands/config/get.ts")).get,
			},
			set: {
				summary: "Change a setting of a profile",
				load: async () => (await import("./commands/config/set.ts")).set,
			},
		},
	},
	sessions: {
		summary: "where you are signed in",
		commands: {
			list: {
				summary: "List your own sessions, newest first",
				load: async () => (await import("./commands/sessions/list.ts")).list,
			},
			end: {
				summary: "End sessions of your own, at once",
				load: async () => (await import("./commands/sessions/end.ts")).end,
			},
		},
	},
	tokens: {
		summary: "your own tokens, for scripts",
		commands: {
			list: {
				summary: "List your own tokens, newest first",
				load: async () => (await import("./commands/tokens/list.ts")).list,
			},
			create: {
				summary: "Make a token for scripts; its secret is shown this once",
				load: async () => (await import("./commands/tokens/create.ts")).create,
			},
			revoke: {
				summary: "Revoke tokens, and all that they made",
				load: async () => (await import("./commands/tokens/revoke.ts")).revoke,
			},
		},
	},
};

/** The service itself. */
export const SERVER_COMMANDS: Branch["commands"] = {
	server: {
		summary: "the service itself",
		commands: {
			status: {
				summary: "Show whether the service is ready, and to operators how it is",
				load: async () => (await import("./commands/server/status.ts")).status,
			},
			doctor: {
				summary: "Check the service from here, and tell what to mend",
				load: async () => (await import("./commands/server/doctor.ts")).doctor,
			},
			reconcile: {
				summary: "Count every storage and App again (operators)",
				load: async () => (await import("./commands/server/reconcile.ts")).reconcile,
			},
			backup: {
				summary: "Back up the database and every image, while the service runs (operators)",
				load: async () => (await import("./commands/server/backup.ts")).backup,
			},
			restore: {
				summary: "Bring a backup back into an empty folder; needs no service and no key",
				load: async () => (await import("./commands/server/restore.ts")).restore,
			},
		},
	},
};
