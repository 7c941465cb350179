import type { Branch } from "./leaf.ts";

/** Commands about an App, its keys and its people. Summaries stand here so that help loads none of them. */
export const TEAM_COMMANDS = {
	apps: {
		summary: "work with Apps",
		commands: {
			list: {
				summary: "List the Apps in whose team you are",
				load: async () => (await import("./commands/apps/list.ts")).list,
			},
			get: {
				summary: "Show one App",
				load: async () => (await import("./commands/apps/get.ts")).get,
			},
			create: {
				summary: "Make an App; you become its Owner",
				load: async () => (await import("./commands/apps/create.ts")).create,
			},
			rename: {
				summary: "Give an App another name",
				load: async () => (await import("./commands/apps/rename.ts")).rename,
			},
			pause: {
				summary: "Suspend an App's App-wide keys and its hosted sign-in",
				load: async () => (await import("./commands/apps/pause.ts")).pause,
			},
			resume: {
				summary: "End a pause",
				load: async () => (await import("./commands/apps/pause.ts")).resume,
			},
			"sign-in": {
				summary: "turn hosted sign-in on or off",
				commands: {
					on: {
						summary: "Let people connect to an App by hosted sign-in",
						load: async () => (await import("./commands/apps/sign-in.ts")).signInOn,
					},
					off: {
						summary: "Let nobody new connect to an App",
						load: async () => (await import("./commands/apps/sign-in.ts")).signInOff,
					},
				},
			},
			transfer: {
				summary: "Make another member the Owner of an App; you become Admin",
				load: async () => (await import("./commands/apps/transfer.ts")).transfer,
			},
			delete: {
				summary: "Delete an App and all that it holds, for good",
				load: async () => (await import("./commands/apps/delete.ts")).deleteApp,
			},
			block: {
				summary: "Stop an App, whoever runs it (operator)",
				load: async () => (await import("./commands/apps/block.ts")).block,
			},
			unblock: {
				summary: "Let a blocked App go on (operator)",
				load: async () => (await import("./commands/apps/block.ts")).unblock,
			},
		},
	},
	"redirect-uris": {
		summary: "say where hosted sign-in may send people back to",
		commands: {
			list: {
				summary: "List where hosted sign-in may send people back to",
				load: async () => (await import("./commands/redirect-uris/list.ts")).list,
			},
			add: {
				summary: "Allow addresses to which hosted sign-in may send people back",
				load: async () => (await import("./commands/redirect-uris/add.ts")).add,
			},
			rm: {
				summary: "Allow addresses no longer",
				load: async () => (await import("./commands/redirect-uris/rm.ts")).rm,
			},
		},
	},
	keys: {
		summary: "work with an App's keys",
		commands: {
			list: {
				summary: "List an App's keys, revoked ones too, newest first",
				load: async () => (await import("./commands/keys/list.ts")).list,
			},
			get: {
				summary: "Show one key, never its secret",
				load: async () => (await import("./commands/keys/get.ts")).get,
			},
			create: {
				summary: "Make a key; its secret is shown this once",
				load: async () => (await import("./commands/keys/create.ts")).create,
			},
			rotate: {
				summary: "Replace a key by a twin: hand the secret over, check it, then revoke the old one",
				load: async () => (await import("./commands/keys/rotate.ts")).rotate,
			},
			revoke: {
				summary: "Revoke keys for good",
				load: async () => (await import("./commands/keys/revoke.ts")).revoke,
			},
		},
	},
	users: {
		summary: "work with the people who are connected to an App",
		commands: {
			list: {
				summary: "List the people who are connected to an App",
				load: async () => (await import("./commands/users/list.ts")).list,
			},
			get: {
				summary: "Show one connected user and what they have bought",
				load: async () => (await import("./commands/users/get.ts")).get,
			},
			disconnect: {
				summary: "End a user's connection and delete the pictures that the App keeps for them",
				load: async () => (await import("./commands/users/disconnect.ts")).disconnect,
			},
		},
	},
	members: {
		summary: "work with an App's team",
		commands: {
			list: {
				summary: "List an App's team",
				load: async () => (await import("./commands/members/list.ts")).list,
			},
			invite: {
				summary: "Invite somebody into the team, by mail",
				load: async () => (await import("./commands/invites/create.ts")).invite,
			},
			role: {
				summary: "Give a member another role",
				load: async () => (await import("./commands/members/role.ts")).role,
			},
			remove: {
				summary: "Take somebody out of the team; oneself: leave it",
				load: async () => (await import("./commands/members/remove.ts")).remove,
			},
		},
	},
	invites: {
		summary: "work with invites into an App's team",
		commands: {
			list: {
				summary: "List invites that nobody has accepted, expired ones too",
				load: async () => (await import("./commands/invites/list.ts")).list,
			},
			create: {
				summary: "Invite somebody into the team, by mail",
				load: async () => (await import("./commands/invites/create.ts")).create,
			},
			revoke: {
				summary: "Take invites back",
				load: async () => (await import("./commands/invites/revoke.ts")).revoke,
			},
		},
	},
	audit: {
		summary: "see what was done in an App",
		commands: {
			list: {
				summary: "List what was done in an App, and by whom, newest first",
				load: async () => (await import("./commands/audit/list.ts")).list,
			},
			tail: {
				summary: "Follow what is done in an App, as it is done",
				load: async () => (await import("./commands/audit/tail.ts")).tail,
			},
		},
	},
	jobs: {
		summary: "watch what takes long",
		commands: {
			list: {
				summary: "List the service's jobs, newest first (operator)",
				load: async () => (await import("./commands/jobs/list.ts")).list,
			},
			get: {
				summary: "Show one job: whoever started it can, and operators",
				load: async () => (await import("./commands/jobs/get.ts")).get,
			},
			wait: {
				summary: "Wait until a job has ended",
				load: async () => (await import("./commands/jobs/wait.ts")).wait,
			},
		},
	},
} as const satisfies Record<string, Branch>;
