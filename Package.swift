// swift-tools-version: 6.3
import PackageDescription

// Every warning is an error, everywhere. A fault point is a named place at which a test build kills itself;
// the release build does not contain them.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .define("FAULT_POINTS", .when(configuration: .debug)),
]

/// A C library from Debian, wrapped in a module map and a shim.
func system(_ name: String, pkgConfig: String? = nil, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func room(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["CarillonTestSupport"], swiftSettings: house)
}

let package = Package(
  name: "carillon",
  products: [
    .executable(name: "carillon", targets: ["carillon"]),
    .executable(name: "carillon-bench", targets: ["carillon-bench"]),
    .executable(name: "carillon-fuzz", targets: ["carillon-fuzz"]),
  ],
  targets: [
    system("CMosquitto", pkgConfig: "libmosquitto", debian: "libmosquitto-dev"),
    system("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
    system("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    system("CIdn2", pkgConfig: "libidn2", debian: "libidn2-dev"),
    system("CJansson", pkgConfig: "jansson", debian: "libjansson-dev"),
    system("CNova", debian: "libnova-dev"),
    system("COpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
    .target(name: "CPOSIX"),

    room("CarillonModel", ["CJansson"]),
    room("CarillonTime", ["CarillonModel"]),
    room("CarillonSchedule", ["CarillonModel", "CarillonTime", "CNova"]),
    room("CarillonLinks", ["CarillonModel", "CIdn2"]),
    room("CarillonLoop", ["CSystemd", "CPOSIX"]),
    room("CarillonDesktop", ["CarillonModel", "CarillonLoop", "CSystemd"]),
    room("CarillonMQTT", ["CarillonLoop", "CMosquitto", "COpenSSL", "CPOSIX"]),
    room("CarillonStore", ["CarillonModel", "CSQLite"]),
    room(
      "CarillonRelay",
      [
        "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore",
        "CarillonMQTT", "CarillonLoop",
      ]),
    room(
      "CarillonCompanion",
      [
        "CarillonModel", "CarillonLinks", "CarillonDesktop", "CarillonStore", "CarillonMQTT", "CarillonLoop",
      ]),
    room(
      "CarillonCommands",
      [
        "CPOSIX", "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks",
        "CarillonStore", "CarillonMQTT", "CarillonLoop", "CarillonDesktop", "CarillonRelay",
        "CarillonCompanion",
      ]),
    .executableTarget(name: "carillon", dependencies: ["CarillonCommands"], swiftSettings: house),
    .executableTarget(
      name: "carillon-bench",
      dependencies: [
        "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore",
        "CarillonTestSupport",
      ], swiftSettings: house),
    room(
      "CarillonFuzz",
      [
        "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonRelay",
        "CarillonCompanion", "CarillonCommands", "CarillonTestSupport",
      ]),
    .executableTarget(name: "carillon-fuzz", dependencies: ["CarillonFuzz"], swiftSettings: house),
    room(
      "CarillonTestSupport",
      ["CPOSIX", "CMosquitto", "CSystemd", "CarillonModel", "CarillonLoop", "CarillonDesktop"]),

    tests("CarillonModelTests", ["CarillonModel"]),
    tests("CarillonTimeTests", ["CarillonModel", "CarillonTime", "CarillonFuzz"]),
    tests(
      "CarillonScheduleTests", ["CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonFuzz"]),
    tests("CarillonLinksTests", ["CarillonModel", "CarillonLinks", "CarillonFuzz"]),
    tests("CarillonLoopTests", ["CarillonLoop"]),
    tests("CarillonDesktopTests", ["CarillonModel", "CarillonLoop", "CarillonDesktop"]),
    tests("CarillonMQTTTests", ["CarillonLoop", "CarillonMQTT"]),
    tests("CarillonStoreTests", ["CarillonModel", "CarillonStore"]),
    tests(
      "CarillonRelayTests",
      [
        "CarillonModel", "CarillonTime", "CarillonSchedule", "CarillonLinks", "CarillonStore",
        "CarillonRelay", "CarillonCompanion",
      ]),
    tests(
      "CarillonCompanionTests",
      [
        "CarillonModel", "CarillonLinks", "CarillonStore", "CarillonMQTT", "CarillonLoop",
        "CarillonCompanion",
      ]),
    tests(
      "CarillonCommandsTests",
      [
        "CarillonModel", "CarillonSchedule", "CarillonLinks", "CarillonLoop", "CarillonMQTT",
        "CarillonRelay", "CarillonCompanion", "CarillonCommands", "carillon",
      ]),
    tests("CarillonFuzzTests", ["CarillonModel", "CarillonFuzz"]),
    tests("CarillonSystemTests", ["CarillonModel", "CarillonLoop", "carillon"]),
    tests("CarillonHouseTests", ["CarillonLoop", "carillon"]),
  ]
)
