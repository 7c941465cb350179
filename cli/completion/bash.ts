import {
	type FlagChoice,
	GLOBAL_CHOICES,
	KEPT_SECONDS,
	type Position,
	positionName,
	valueFlags,
	wordsOf,
} from "./positions.ts";

/* Words are letters, digits, dashes and underscores, so that nothing in them is code. Names of profiles are not: they are compared, not expanded. */

function choiceLine(position: Position): string {
	const words = [...position.commands.map(({ word }) => word), ...position.words].join(" ");
	const about = `ids="${position.listedBy.join(" ")}"; files=${position.takesFiles ? 1 : 0}`;
	return `\t\t\t${positionName(position) || '""'}) choices="${words}"; flags="${wordsOf(position.flags)}"; ${about} ;;`;
}

function valueLines(position: Position): string[] {
	return valueFlags(position.flags).map(
		({ word, values, takesFile, listedBy }) =>
			`\t\t"${positionName(position)} ${word}") known="${values.join(" ")}"; ids="${listedBy.join(" ")}"; files=${takesFile ? 1 : 0} ;;`,
	);
}

function globalLine({ word, values, listedBy }: FlagChoice): string {
	if (word === "--profile") return `\t\t*" --profile") _svc_lines "$cur" svc profile list --field name; return ;;`;
	return `\t\t*" ${word}") known="${values.join(" ")}"; ids="${listedBy.join(" ")}" ;;`;
}

/** The completion script for bash 3.2 and later. */
export function bashScript(positions: readonly Position[]): string {
	const below = positions.filter(({ path }) => path.length > 0);
	return `# Completion of svc for bash. Once: source <(svc completion bash); for good: put that line into ~/.bashrc
_svc_lines() {
	local name cur="$1"
	shift
	if [[ -z "\${_svc_kept-}" || "$*" != "$_svc_kept_of" || $((SECONDS - _svc_kept_at)) -ge ${KEPT_SECONDS} ]]; then
		_svc_kept="$("$@" 2>/dev/null)" _svc_kept_of="$*" _svc_kept_at=$SECONDS
	fi
	while IFS= read -r name; do
		[[ -n "$name" && "$name" == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
	done <<< "$_svc_kept"
}

_svc() {
	local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" word index
	local choices="" flags="" known="-" ids="" files=0
	local -a context=()
	COMPREPLY=()
	for ((index = 1; index < COMP_CWORD; index++)); do
		word="\${COMP_WORDS[index]}"
		case "$word" in
			${wordsOf(valueFlags(GLOBAL_CHOICES), "|")})
				[[ "\${COMP_WORDS[index+1]}" == "=" ]] && index=$((index + 1))
				index=$((index + 1))
				[[ $index -lt $COMP_CWORD && " --profile --app --user " == *" $word "* ]] && context+=("$word" "\${COMP_WORDS[index]}")
				;;
			-*|=) ;;
			*)
				case "$place/$word" in
					${below.map(positionName).join("|")}) place="$place/$word" ;;
				esac
				;;
		esac
	done
	if [[ "$cur" == "=" ]]; then
		cur=""
	elif [[ "$prev" == "=" ]]; then
		prev="\${COMP_WORDS[COMP_CWORD-2]}"
	fi
	case "$place $prev" in
${[...valueFlags(GLOBAL_CHOICES).map(globalLine), ...positions.flatMap(valueLines)].join("\n")}
	esac
	if [[ "$known" != "-" ]]; then
		choices="$known"
	else
		case "$place" in
${positions.map(choiceLine).join("\n")}
		esac
		[[ "$cur" == -* ]] && choices="$flags ${wordsOf(GLOBAL_CHOICES)}"
	fi
	COMPREPLY=($(compgen -W "$choices" -- "$cur"))
	if [[ -n "$ids" && "$cur" != -* ]]; then
		_svc_lines "$cur" svc $ids --field id --limit 100 --timeout 3s \${context[@]+"\${context[@]}"}
	fi
	[[ $files == 0 ]] && compopt +o default 2>/dev/null
	return 0
}

complete -o default -F _svc svc
`;
}
