# Tests: one executable of doctest cases is one CTest test.
include_guard(GLOBAL)

if(MQB_BUILD_TESTS)
    find_package(doctest REQUIRED)
    # doctest's implementation and its main(), compiled once.
    add_library(mqb_test_main OBJECT "${CMAKE_CURRENT_LIST_DIR}/test_main.cpp")
    target_link_libraries(mqb_test_main PUBLIC doctest::doctest)
endif()

# mqb_add_test(name LABEL unit SOURCES a_test.cpp … [LIBS mqb::core …] [DEFINITIONS NAME="value" …] [TIMEOUT seconds])
#
# Builds the executable `name` in build/<preset>/tests and registers it with CTest under the same name. LABEL is one of unit, abi,
# conformance, shapes, e2e, chaos, fuzz. Does nothing where MQB_BUILD_TESTS is off.
function(mqb_add_test name)
    if(NOT MQB_BUILD_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LIBS;DEFINITIONS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_LABEL)
        message(FATAL_ERROR "mqb_add_test(${name}): needs LABEL and SOURCES; does not know '${arg_UNPARSED_ARGUMENTS}'")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE mqb_test_main ${arg_LIBS})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT})
endfunction()
