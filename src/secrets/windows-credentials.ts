/**
 * A script for Windows PowerShell that reads an action, a name and a value, each on one line, from
 * standard input, and uses the Credential Manager through the functions of Windows: PowerShell has
 * no command for it. A missing credential is reported by the exit code.
 */
export function windowsScript(notFound: number): string {
  return String.raw`
$ErrorActionPreference = 'Stop'
Add-Type -TypeDefinition @'
using System;
using System.Runtime.InteropServices;
public static class Credentials {
  [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
  struct CREDENTIAL {
    public uint Flags; public uint Type; public string TargetName; public string Comment;
    public System.Runtime.InteropServices.ComTypes.FILETIME LastWritten;
    public uint BlobSize; public IntPtr Blob; public uint Persist;
    public uint AttributeCount; public IntPtr Attributes; public string TargetAlias; public string UserName;
  }
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredReadW(string target, uint type, uint flags, out IntPtr credential);
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredWriteW(ref CREDENTIAL credential, uint flags);
  [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool CredDeleteW(string target, uint type, uint flags);
  [DllImport("advapi32.dll")]
  static extern void CredFree(IntPtr credential);
  const uint GENERIC = 1, LOCAL_MACHINE = 2;
  const int NOT_FOUND = 1168;
  static bool Found(bool ok) {
    int error = Marshal.GetLastWin32Error();
    if (!ok && error != NOT_FOUND) throw new System.ComponentModel.Win32Exception(error);
    return ok;
  }
  public static string Read(string target) {
    IntPtr found;
    if (!Found(CredReadW(target, GENERIC, 0, out found))) return null;
    try {
      var credential = (CREDENTIAL)Marshal.PtrToStructure(found, typeof(CREDENTIAL));
      return Marshal.PtrToStringUni(credential.Blob, (int)credential.BlobSize / 2);
    } finally { CredFree(found); }
  }
  public static void Write(string target, string value) {
    var credential = new CREDENTIAL();
    credential.Type = GENERIC;
    credential.TargetName = target;
    credential.UserName = "mcp-workbench";
    credential.Persist = LOCAL_MACHINE;
    credential.Blob = Marshal.StringToCoTaskMemUni(value);
    credential.BlobSize = (uint)value.Length * 2;
    try { Found(CredWriteW(ref credential, 0)); }
    finally { Marshal.ZeroFreeCoTaskMemUnicode(credential.Blob); }
  }
  public static bool Delete(string target) { return Found(CredDeleteW(target, GENERIC, 0)); }
}
'@
$action, $target, $value = [Console]::In.ReadToEnd() -split "\n", 3
switch ($action) {
  'get' {
    $found = [Credentials]::Read($target)
    if ($null -eq $found) { exit ${notFound} }
    [Console]::Out.Write($found)
  }
  'set' { [Credentials]::Write($target, $value) }
  'remove' { if (-not [Credentials]::Delete($target)) { exit ${notFound} } }
}
`;
}
