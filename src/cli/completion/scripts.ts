import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/**
 * The scripts ask the program, so completions always match the installed version. Each line of the
 * answer is a word, a tab and its description; a first line `:file` or `:folder` leaves the rest to
 * the shell.
 */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `# bash completion for mcp-workbench
_mcp_workbench() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :file) compopt -o default 2>/dev/null ;;
      :folder) compopt -o dirnames 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[/=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _mcp_workbench mcp-workbench
`,
  zsh: `#compdef mcp-workbench
# zsh completion for mcp-workbench
_mcp-workbench() {
  local tab=$'\\t' line word
  local -a whole partial
  while IFS= read -r line; do
    word="\${line%%$tab*}"
    case "$line" in
      :file) _files ;;
      :folder) _files -/ ;;
      *[/=]$tab*) partial+=("\${word//:/\\\\:}:\${line#*$tab}") ;;
      *) whole+=("\${word//:/\\\\:}:\${line#*$tab}") ;;
    esac
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#whole} )) && _describe 'mcp-workbench' whole
  (( \${#partial} )) && _describe 'mcp-workbench' partial -S ''
}
if [ "$funcstack[1]" = "_mcp-workbench" ]; then
  _mcp-workbench "$@"
else
  compdef _mcp-workbench mcp-workbench
fi
`,
  fish: `# fish completion for mcp-workbench
function __mcp_workbench_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  for line in ($program __complete $words "$current" 2>/dev/null)
    switch $line
      case :file
        __fish_complete_path "$current"
      case :folder
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c mcp-workbench -f -a '(__mcp_workbench_complete)'
`,
  // Windows PowerShell drops empty arguments, so the current word follows an equals sign.
  powershell: `# PowerShell completion for mcp-workbench
Register-ArgumentCompleter -Native -CommandName mcp-workbench -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $elements = @($commandAst.CommandElements)
  $program = $elements[0].Extent.Text
  $words = @($elements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object {
      if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
      else { $_.Extent.Text }
    })
  $encoding = [Console]::OutputEncoding
  try {
    [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
    $lines = @(& $program __complete "--current=$wordToComplete" @words 2>$null)
  } finally {
    [Console]::OutputEncoding = $encoding
  }
  foreach ($line in $lines) {
    if ($line -eq ':file' -or $line -eq ':folder') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
      continue
    }
    $word, $meaning = $line -split "\`t", 2
    if (-not $meaning) { $meaning = $word }
    $text = if ($word -match '[^A-Za-z0-9_./=:-]') { "'" + $word.Replace("'", "''") + "'" } else { $word }
    [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $meaning)
  }
}
`,
};

/** `completion SHELL` */
export async function completion({ args, out }: Context): Promise<number> {
  const [wanted = ""] = args.words;
  const shell = SHELLS.find((known) => known === wanted);
  if (shell === undefined) {
    const reason = `No completion script for '${wanted}'`;
    throw workbenchError("USAGE", { reason }, `Supported: ${SHELLS.join(", ")}`);
  }
  out.document({ shell, script: SCRIPTS[shell] });
  out.printRaw(SCRIPTS[shell]);
  return EXIT.ok;
}
