import { ACCOUNT_STATUSES } from "@svc/sdk/lists";
import type { Account } from "@svc/sdk/shapes";
import { Day } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm, TextField } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import {
	asked,
	at,
	Facets,
	Listed,
	OPERATOR,
	once,
	operatorPage,
	refusal,
	Search,
	said,
	typed,
	wordOf,
} from "./operator.tsx";

/* Who has an account here, and who runs the service. */

export const accountsScreen: Screen = {
	path: "/operator/accounts",
	get: showAccounts,
	acts: { disable, enable, add, remove },
};

const HERE = `${OPERATOR}/accounts`;
/** In place of a status. */
const OPERATORS = "operators";

const COLUMNS = ["E-mail", "Status", "Since", "What can be done"];

async function showAccounts(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const [q, status] = [asked(visit, "q"), asked(visit, "status")];
	const { accounts, operators } = visit.api.operator;
	const cursor = asked(visit, "cursor");
	const { data, pagination } =
		status === OPERATORS
			? await operators.list({ cursor })
			: await accounts.list({
					cursor,
					...(q !== undefined && { q }),
					...(status !== undefined && { status: status as "active" }),
				});
	const lines = data.map((account) => ({
		id: account.id,
		cells: [
			<span key="who">
				<bdi>{account.email}</bdi> {account.operator && <span className="tag">Operator</span>}
				<code className="changes">{account.id}</code>
			</span>,
			wordOf(account.status),
			<Day key="since" ms={at(account.created_at)} />,
			<Acts key="acts" visit={visit} account={account} />,
		],
	}));
	return operatorPage(visit, {
		screen: "accounts",
		children: (
			<>
				{refused?.act !== "add" && refusal(refused)}
				<Search here={HERE} label="How an e-mail address begins" value={q} />
				<Facets
					label="Which accounts"
					here={HERE}
					name="status"
					values={["all", ...ACCOUNT_STATUSES, OPERATORS]}
					value={status}
				/>
				<Listed
					{...{ visit, lines }}
					caption="Accounts"
					none="No account."
					columns={COLUMNS}
					next={pagination.next_cursor}
				/>
				{status === OPERATORS && <Add visit={visit} refused={refused} />}
			</>
		),
	});
}

/** What can be done to an account, and what follows from it. */
const ACTS = {
	disable: [
		"Disable",
		"Their sessions, tokens and keys are refused, and Apps' calls for them, until it is enabled again.",
	],
	enable: ["Enable", "It works again, with all that it had."],
	remove: ["Remove as operator", "It is an ordinary account from then on."],
} as const;

function Acts({ visit, account }: { readonly visit: ConsoleVisit; readonly account: Account }) {
	const fits = {
		disable: account.status === "active",
		enable: account.status === "disabled",
		remove: account.operator,
	};
	return (
		<div className="acts">
			{(["disable", "enable", "remove"] as const)
				.filter((act) => fits[act])
				.map((act) => (
					<details key={act} className="ask">
						<summary className="button quiet slim">{ACTS[act][0]}</summary>
						<ActForm visit={visit} action={HERE + visit.url.search} act={act} fields={{ account: account.id }}>
							<p>{ACTS[act][1]}</p>
							<button className={act === "enable" ? "primary" : "danger"} type="submit">
								{ACTS[act][0]}
							</button>
						</ActForm>
					</details>
				))}
		</div>
	);
}

function Add({ visit, refused }: { readonly visit: ConsoleVisit; readonly refused: Refused | undefined }) {
	return (
		<div className="card narrow">
			<h2>Another operator</h2>
			<ActForm visit={visit} action={HERE + visit.url.search} act="add" refused={refused}>
				<TextField
					act="add"
					name="email"
					label="E-mail address"
					refused={refused}
					input={{ type: "email", required: true }}
				/>
				<button className="primary" type="submit">
					Add
				</button>
			</ActForm>
		</div>
	);
}

async function disable(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.accounts.disable(typed(post, "account") ?? "");
	return await said(post, "The account is disabled.");
}

async function enable(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.accounts.enable(typed(post, "account") ?? "");
	return await said(post, "The account is enabled.");
}

async function add(post: ConsolePost): Promise<PageResult> {
	const { email } = await post.api.operator.operators.create(typed(post, "email") ?? "", once(post));
	return await said(post, `${email} is an operator now.`);
}

async function remove(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.operators.delete(typed(post, "account") ?? "");
	return await said(post, "It is an ordinary account now.");
}
