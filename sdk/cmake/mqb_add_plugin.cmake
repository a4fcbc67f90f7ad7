# mqb_add_plugin: builds, describes, installs and tests one plugin. For our own plugins and for everybody's.
#
#   mqb_add_plugin(NAME SOURCES a.cpp … [LIBS …] [CONFORMANCE conformance.json] [OFFERS …] [NO_INSTALL])
#
# makes the target plugin_NAME: libmqb_NAME.so in MQB_PLUGIN_OUTPUT_DIR (else the build folder), with mqb_plugin_v1 as its only
# exported symbol, and beside it the index libmqb_NAME.json, which tells a host what the library offers without opening it. Both
# are installed to lib/mqbridge/plugins. The sources may be C or C++. With CONFORMANCE, where tests are on and there is a mqbridge
# to run (the target, or MQBRIDGE_EXECUTABLE), the test conformance.NAME runs the kit. OFFERS is the index's list of names for a
# library that cannot be opened on the machine that builds it. NO_INSTALL: for plugins of tests.
include_guard(GLOBAL)

set(MQB_SDK_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "Where mqb_add_plugin finds its tools")

function(mqb_add_plugin name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL" "CONFORMANCE" "SOURCES;LIBS;OFFERS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT name MATCHES "^[a-z][a-z0-9_]*$")
        message(FATAL_ERROR "mqb_add_plugin(${name}): needs a name of [a-z][a-z0-9_]* and SOURCES; does not know '${arg_UNPARSED_ARGUMENTS}'")
    endif()
    set(target plugin_${name})
    set(folder "${CMAKE_CURRENT_BINARY_DIR}")
    if(MQB_PLUGIN_OUTPUT_DIR)
        set(folder "${MQB_PLUGIN_OUTPUT_DIR}")
    endif()

    add_library(${target} MODULE ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE mqb::sdk ${arg_LIBS})
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if("CXX" IN_LIST languages)
        target_compile_features(${target} PRIVATE cxx_std_20)
    endif()
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME mqb_${name} PREFIX lib SUFFIX .so
        LIBRARY_OUTPUT_DIRECTORY "${folder}"
        POSITION_INDEPENDENT_CODE ON
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

    # Without the script GCC marks statics of templates as unique, and two plugins would share them.
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.version")
    file(CONFIGURE OUTPUT "${script}" CONTENT "{\n    global: mqb_plugin_v1;\n    local: *;\n};\n")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${script}" "LINKER:--build-id=sha1")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
    # A sanitizer's own functions are found in the program only.
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    set(flags "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_C_FLAGS_${type}} ${CMAKE_CXX_FLAGS_${type}}")
    if(NOT flags MATCHES "-fsanitize=")
        target_link_options(${target} PRIVATE "LINKER:-z,defs")
    endif()

    if(NOT arg_NO_INSTALL)
        install(TARGETS ${target} LIBRARY DESTINATION lib/mqbridge/plugins)
    endif()
    set(index "${folder}/libmqb_${name}.json")
    if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
        message(STATUS "mqb_add_plugin(${name}): cross-compiling, so no index is written; hosts open the library to see what it offers")
    else()
        mqb_index_tool_()
        add_dependencies(${target} mqb_plugin_index)
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND "${CMAKE_COMMAND}" -E env "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0"
                $<TARGET_FILE:mqb_plugin_index> $<TARGET_FILE:${target}> "${index}" ${arg_OFFERS}
            BYPRODUCTS "${index}" VERBATIM)
        if(NOT arg_NO_INSTALL)
            # Once more at the place of installation, where the library may have been stripped.
            install(CODE "
                set(mqb_installed \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/mqbridge/plugins/libmqb_${name}\")
                set(ENV{ASAN_OPTIONS} detect_leaks=0:verify_asan_link_order=0)
                execute_process(COMMAND \"$<TARGET_FILE:mqb_plugin_index>\" \"\${mqb_installed}.so\" \"\${mqb_installed}.json\" ${arg_OFFERS}
                    COMMAND_ERROR_IS_FATAL ANY)")
        endif()
    endif()

    if(arg_CONFORMANCE)
        get_filename_component(config "${arg_CONFORMANCE}" ABSOLUTE)
        # At the end of everything, when it is known whether there is a host to run.
        cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL mqb_conformance_test_ [[${name}]] [[${config}]])")
    endif()
endfunction()

# The program that writes indexes, built once in each project, in C or C++, whichever is there.
function(mqb_index_tool_)
    if(TARGET mqb_plugin_index)
        return()
    endif()
    set(source "${MQB_SDK_CMAKE_DIR}/index.c")
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "C" IN_LIST languages)
        set(source "${CMAKE_BINARY_DIR}/mqb_plugin_index.cpp")
        file(COPY_FILE "${MQB_SDK_CMAKE_DIR}/index.c" "${source}" ONLY_IF_DIFFERENT)
    endif()
    add_executable(mqb_plugin_index "${source}")
    target_link_libraries(mqb_plugin_index PRIVATE mqb::plugin_api ${CMAKE_DL_LIBS})
    set_target_properties(mqb_plugin_index PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tools" C_STANDARD 11 CXX_STANDARD 11)
endfunction()

function(mqb_conformance_test_ name config)
    if(DEFINED MQB_BUILD_TESTS AND NOT MQB_BUILD_TESTS)
        return()
    endif()
    if(TARGET mqbridge)
        set(host $<TARGET_FILE:mqbridge>)
    elseif(MQBRIDGE_EXECUTABLE)
        set(host "${MQBRIDGE_EXECUTABLE}")
    else()
        return()
    endif()
    add_test(NAME conformance.${name} COMMAND ${host} conformance $<TARGET_FILE:plugin_${name}> --config "${config}")
    set_tests_properties(conformance.${name} PROPERTIES LABELS conformance TIMEOUT 300)
endfunction()
