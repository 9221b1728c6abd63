/// Who may import what: the table of the architecture page, as data.
///
/// The compiler does not see to it: once any target of the package has built a module, every other one can import it.
enum House {
  /// A target and the modules that its files may import.
  ///
  /// `Glibc` stands where a room talks to the operating system itself. Rooms without it (the protocol's values, links,
  /// schedules) decide about values alone, and cannot read a clock or a file by accident.
  static let imports: [String: Set<String>] = [
    "CarillonModel": ["FoundationEssentials", "CJansson"],
    "CarillonTime": ["CarillonModel", "Glibc"],
    "CarillonSchedule": ["CarillonModel", "CarillonTime", "CNova"],
    "CarillonLinks": ["CarillonModel", "CIdn2"],
    // Synchronization: an atomic counter of the fault points in test builds.
    "CarillonLoop": ["CSystemd", "CPOSIX", "Glibc", "Synchronization"],
    // Glibc for the environment and the user's number.
    "CarillonDesktop": ["CarillonModel", "CarillonLoop", "CSystemd", "Glibc"],
    "CarillonMQTT": ["CarillonLoop", "CMosquitto", "COpenSSL", "CPOSIX", "Glibc"],
    "CarillonStore": ["CarillonModel", "CSQLite", "Glibc"],
    "CarillonRelay": [
      "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore", "CarillonMQTT",
      "CarillonLoop", "Glibc",
    ],
    "CarillonCompanion": [
      "CarillonModel", "CarillonLinks", "CarillonStore", "CarillonMQTT", "CarillonLoop", "CarillonDesktop",
      "Glibc",
    ],
    // FoundationEssentials reads JSON5; CPOSIX has getopt_long.
    "CarillonCommands": [
      "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore", "CarillonMQTT",
      "CarillonLoop", "CarillonDesktop", "CarillonRelay", "CarillonCompanion", "CPOSIX",
      "FoundationEssentials", "Glibc",
    ],
    // Glibc for exit alone.
    "carillon": ["CarillonCommands", "Glibc"],
    // FoundationEssentials copies zones.
    "carillon-bench": [
      "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore",
      "CarillonTestSupport", "FoundationEssentials", "Glibc",
    ],
    // It feeds everything that reads bytes from outside.
    "CarillonFuzz": [
      "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonRelay",
      "CarillonCompanion", "CarillonCommands", "CarillonTestSupport", "Glibc",
    ],
    "carillon-fuzz": ["CarillonFuzz", "CarillonTestSupport", "Glibc"],
    // Synchronization: what a load's subscriber has counted on its own thread.
    "CarillonTestSupport": [
      "CarillonModel", "CarillonLoop", "CarillonDesktop", "CMosquitto", "CSystemd", "CPOSIX",
      "FoundationEssentials", "Glibc", "Synchronization", "Testing",
    ],
  ]

  /// C libraries from Debian: a module map and a shim each, and nothing else.
  static let systemTargets: Set<String> = [
    "CMosquitto", "CSystemd", "CSQLite", "CIdn2", "CJansson", "CNova", "COpenSSL",
  ]

  /// The one C target of our own: what Swift's Glibc lacks or calls unsafe.
  static let ownC = "CPOSIX"

  /// What stands at the top of the repository.
  static let topLevel: Set<String> = [
    ".ci", ".git", ".gitignore", ".swift-format", "LICENSE", "Package.swift", "README.md", "Sources", "Tests",
    "config", "deploy",
  ]

  /// The rooms that wrap a C library, where a proof in a comment may stand for the compiler's.
  static let wrappers: Set<String> = [
    "CarillonLoop", "CarillonMQTT", "CarillonStore", "CarillonModel", "CarillonLinks",
  ]

  /// The longest source file. Nine in ten are half as long.
  static let longestFile = 400

  /// The longest README.
  static let longestReadme = 149
}
